// Lists the changes that `scripts.py` tries, of each script that is named on stdin (a JSON list), as JSON.

import { readFileSync } from "node:fs";
import { parse } from "espree";

const INSTEAD = {
    "<": ["<=", ">"],
    "<=": ["<", ">="],
    ">": [">=", "<"],
    ">=": [">", "<="],
    "===": ["!=="],
    "!==": ["==="],
    "==": ["!="],
    "!=": ["=="],
    "+": ["-"],
    "-": ["+"],
    "*": ["+"],
    "/": ["*"],
    "%": ["*"],
    "&": ["|"],
    "|": ["&"],
    "<<": [">>"],
    ">>": ["<<"],
    "+=": ["-="],
    "-=": ["+="],
    "*=": ["+="],
    "&&": ["||"],
    "||": ["&&"],
};
const EXTREMES = { min: "max", max: "min" };
const OPERATIONS = ["BinaryExpression", "LogicalExpression", "AssignmentExpression"];
const NAMES = ["Identifier", "MemberExpression", "CallExpression"];

function changes(path) {
    const text = readFileSync(path, "utf-8");
    const tree = parse(text, { ecmaVersion: "latest", sourceType: "module", range: true, tokens: true });
    const found = [];
    const add = (owner, start, end, ...instead) => {
        for (const after of instead) found.push({ function: owner, start, end, after });
    };

    function visit(node, owner, parent) {
        if (isConstant(node, parent)) return;
        const within = nameOf(node, parent) ?? owner;
        const [start, end] = node.range;
        if (OPERATIONS.includes(node.type) && node.operator in INSTEAD && !joinsText(node)) {
            const between = (token) => token.range[0] >= node.left.range[1] && token.range[1] <= node.right.range[0];
            const sign = tree.tokens.find((token) => token.value === node.operator && between(token));
            add(within, ...sign.range, ...INSTEAD[node.operator]);
        } else if (node.type === "UnaryExpression" && ["!", "-"].includes(node.operator)) {
            add(within, start, start + 1, " ");
        } else if (node.type === "Literal" && typeof node.value === "boolean") {
            add(within, start, end, String(!node.value));
        } else if (node.type === "Literal" && [0, 1, 2].includes(node.value)) {
            add(within, start, end, node.value ? String(node.value - 1) : "(-1)", String(node.value + 1));
        } else if (["IfStatement", "ConditionalExpression"].includes(node.type) && NAMES.includes(node.test.type)) {
            add(within, ...node.test.range, `!${text.slice(...node.test.range)}`);
        } else if (node.type === "CallExpression" && node.callee.object?.name === "Math") {
            const method = node.callee.property;
            if (method.name in EXTREMES) add(within, ...method.range, EXTREMES[method.name]);
        }
        for (const part of Object.values(node))
            for (const child of [part].flat()) if (typeof child?.type === "string") visit(child, within, node);
    }
    visit({ ...tree, tokens: null, comments: null }, "", null);

    const bytes = (place) => Buffer.byteLength(text.slice(0, place));
    return found.map((one) => ({ ...one, start: bytes(one.start), end: bytes(one.end) }));
}

/** Whether it is a number with a name of its own, such as a time or a size: that is a decision. */
function isConstant(node, parent) {
    return node.type === "VariableDeclarator" && parent.kind === "const" && /^[A-Z][A-Z0-9_]+$/.test(node.id.name);
}

function joinsText(node) {
    const isText = (side) => side.type === "TemplateLiteral" || typeof side.value === "string";
    return ["+", "+="].includes(node.operator) && (isText(node.left) || isText(node.right));
}

/** The name of a function as the browser reports it; undefined for what is no function, or has no name. */
function nameOf(node, parent) {
    if (!/Function/.test(node.type)) return undefined;
    const named = node.id ?? parent.id ?? (parent.type === "MethodDefinition" ? parent.key : parent.left);
    return named?.name;
}

const files = JSON.parse(readFileSync(0, "utf-8"));
console.log(JSON.stringify(files.map(changes)));
