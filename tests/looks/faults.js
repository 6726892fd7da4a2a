// What a designer sees at once on a page: called in the page, returns one line for each fault, without pixels.
// Where `onlyColours` is true, only what another theme can change: the contrast of texts.
(onlyColours = false) => {
    const LEAST_TARGET = 44; // pixels, where fingers touch
    const LEAST_CONTRAST = 4.5;
    const LEAST_OF_LARGE = 3; // of headlines
    const TARGETS = "a[href], button, input:not([type=hidden]), select, textarea, summary, [role=tab], [role=slider]";
    const faults = new Set();

    /** All elements, those in open shadow roots too. */
    function* elements(root) {
        for (const one of root.querySelectorAll("*")) {
            yield one;
            if (one.shadowRoot) yield* elements(one.shadowRoot);
        }
    }
    const above = (one) => one.assignedSlot ?? one.parentElement ?? (one.getRootNode().host || null);
    const isShown = (one) => one.checkVisibility({ opacityProperty: true, visibilityProperty: true });
    const named = (one) => {
        const words = one.getAttribute("aria-label") || one.textContent.trim().replace(/\s+/g, " ") || one.name || "";
        return `${one.localName}${one.id ? "#" + one.id : ""} "${words.slice(0, 40)}"`;
    };
    /** The part of a box that its ancestors do not cut off, and the box that cuts it sideways, if one does. */
    function seen(rect, from) {
        let { left, top, right, bottom } = rect;
        let [cutter, scrolls] = [null, false];
        for (let one = from; one && one !== document.body; one = above(one)) {
            const style = getComputedStyle(one);
            if (style.position === "fixed") break;
            if (style.overflowX === "visible" && style.overflowY === "visible") continue;
            const box = one.getBoundingClientRect();
            if (box.width <= 1 || box.height <= 1) return null; // is there for those who listen
            if (right > box.right + 1.5 || left < box.left - 1.5) {
                if (/auto|scroll/.test(style.overflowX)) scrolls = true;
                else cutter ??= one;
            }
            [left, right] = [Math.max(left, box.left), Math.min(right, box.right)];
            [top, bottom] = [Math.max(top, box.top), Math.min(bottom, box.bottom)];
            if (left >= right || top >= bottom) return { cutter: scrolls ? null : cutter };
        }
        return { left, top, right, bottom, cutter: scrolls ? null : cutter };
    }
    /** Whether something on the way to the page has that. */
    function within(one, holds) {
        for (let up = one; up; up = above(up)) if (holds(getComputedStyle(up))) return true;
        return false;
    }
    const isClipped = ({ clipPath }) => clipPath === "inset(50%)"; // is there for those who listen
    const isFloating = ({ position }) => position === "sticky" || position === "fixed";
    function texts() {
        const found = [];
        for (const one of elements(document)) {
            if (/^(script|style|option|title|desc|select|noscript)$/.test(one.localName) || !isShown(one)) continue;
            if (one.firstChild && within(one, isClipped)) continue;
            for (const node of one.childNodes) {
                if (node.nodeType !== Node.TEXT_NODE || !node.data.trim()) continue;
                const range = document.createRange();
                range.selectNodeContents(node);
                for (const rect of range.getClientRects()) {
                    const part = rect.width > 1 && rect.height > 1 ? seen(rect, one) : null;
                    if (part) found.push({ one, text: node.data.trim(), part });
                }
            }
        }
        return found;
    }
    function cut(found) {
        for (const { one, text, part } of found) {
            if (!part.cutter) continue;
            let told = false;
            for (let up = one; up; up = above(up)) told ||= up.hasAttribute("title") || up.hasAttribute("aria-label");
            const dots = getComputedStyle(part.cutter).textOverflow === "ellipsis";
            if (!(dots && told)) faults.add(`cut: ${named(one)} (${text.slice(0, 40)})`);
        }
    }
    /** Layers of one another's glyphs (outlines) have the same text. */
    function overlapping(found) {
        const boxes = found.filter(({ part }) => part.right).sort((a, b) => a.part.top - b.part.top);
        const area = ({ left, top, right, bottom }) => (right - left) * (bottom - top);
        boxes.forEach((first, at) => {
            for (const second of boxes.slice(at + 1)) {
                const [a, b] = [first.part, second.part];
                if (b.top >= a.bottom) break;
                const picture = first.one.closest("svg"); // pictures have tests of their own
                if (picture && picture === second.one.closest("svg")) continue;
                if (within(first.one, isFloating) !== within(second.one, isFloating)) continue; // one is under the other
                if (first.text === second.text || first.one.contains(second.one) || second.one.contains(first.one)) continue;
                const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
                const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
                if (wide > 2 && high > 4 && wide * high > 0.15 * Math.min(area(a), area(b)))
                    faults.add(`overlap: "${first.text.slice(0, 40)}" and "${second.text.slice(0, 40)}"`);
            }
        });
    }
    const painter = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
    const painted = new Map();
    /** Red, green and blue from 0 to 255, and opacity from 0 to 1. */
    function channels(colour) {
        if (!painted.has(colour)) {
            painter.clearRect(0, 0, 1, 1);
            painter.fillStyle = colour;
            painter.fillRect(0, 0, 1, 1);
            const [red, green, blue, alpha] = painter.getImageData(0, 0, 1, 1).data;
            painted.set(colour, [red, green, blue, alpha / 255]);
        }
        return painted.get(colour);
    }
    const mixed = (over, under) => [0, 1, 2].map((part) => over[part] * over[3] + under[part] * (1 - over[3]));
    function luminance(colour) {
        const [red, green, blue] = colour.map((part) => {
            const share = part / 255;
            return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
        });
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    }
    /** The colour below a text, and how opaque the text is; nothing where a picture lies there. */
    function ground(one) {
        const layers = [];
        let opacity = 1;
        for (let up = one; up; up = above(up)) {
            const style = getComputedStyle(up);
            if (style.backgroundImage !== "none") return null;
            opacity *= Number(style.opacity);
            const colour = channels(style.backgroundColor);
            if (colour[3] > 0) layers.push(colour);
            if (colour[3] === 1) break;
        }
        const canvas = matchMedia("(prefers-color-scheme: dark)").matches ? [18, 18, 18] : [255, 255, 255];
        return { colour: layers.reverse().reduce((under, over) => mixed(over, under), canvas), opacity };
    }
    function pale(found) {
        for (const { one, text, part } of found) {
            if (!part.right || one.closest("svg, :disabled, [aria-disabled=true], [inert]")) continue;
            const [style, below] = [getComputedStyle(one), ground(one)];
            if (!below) continue;
            const ink = [...channels(style.color)];
            ink[3] *= below.opacity;
            const [light, dark] = [luminance(mixed(ink, below.colour)), luminance(below.colour)].sort((a, b) => b - a);
            const contrast = (light + 0.05) / (dark + 0.05);
            const size = parseFloat(style.fontSize);
            const isLarge = size >= 24 || (size >= 18.5 && Number(style.fontWeight) >= 600);
            if (contrast < (isLarge ? LEAST_OF_LARGE : LEAST_CONTRAST) - 0.01)
                faults.add(`contrast ${contrast.toFixed(1)}: ${named(one)} (${text.slice(0, 40)})`);
        }
    }
    /** What lies at a point, in whichever shadow root. */
    function at(x, y) {
        let found = document.elementFromPoint(x, y);
        while (found?.shadowRoot) {
            const deeper = found.shadowRoot.elementFromPoint(x, y);
            if (!deeper || deeper === found) break;
            found = deeper;
        }
        return found;
    }
    function belongs(found, one) {
        for (let up = found; up; up = above(up)) if (up === one || up.control === one) return true;
        return one.contains(found);
    }
    function targets() {
        const touched = matchMedia("(pointer: coarse)").matches;
        const scrolled = [...elements(document)].map((one) => [one, one.scrollLeft, one.scrollTop]);
        for (const one of elements(document)) {
            if (!one.matches(TARGETS) || !isShown(one) || one.closest("[inert], svg")) continue;
            let box = (one.closest("label") ?? one).getBoundingClientRect();
            if (box.width <= 1 || box.height <= 1) continue;
            const style = getComputedStyle(one);
            const inText = style.display === "inline" && /[^\s·|,]/.test(one.parentElement?.textContent.replace(one.textContent, "") ?? "");
            if (touched && !inText && Math.min(box.width, box.height) < LEAST_TARGET - 0.5)
                faults.add(`small: ${named(one)} ${Math.round(box.width)}×${Math.round(box.height)}`);
            one.scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
            box = (one.getClientRects()[0] ?? one.getBoundingClientRect());
            const [x, y] = [(box.left + box.right) / 2, (box.top + box.bottom) / 2];
            if (x < 0 || y < 0 || x >= innerWidth || y >= innerHeight) {
                faults.add(`out of reach: ${named(one)}`);
                continue;
            }
            const over = at(x, y);
            if (over && !belongs(over, one)) faults.add(`covered: ${named(one)} by ${named(over)}`);
        }
        // Pictures are taken afterwards, so each part of the page shows again what it showed before.
        for (const [one, left, top] of scrolled)
            if (one.scrollLeft !== left || one.scrollTop !== top) one.scrollTo({ left, top, behavior: "instant" });
        scrollTo({ left: 0, top: 0, behavior: "instant" });
    }
    /** A script finds the wrong element, and a style meets one that it is not for. */
    function twice() {
        const ids = [...document.querySelectorAll("[id]")].map(({ id }) => id);
        for (const id of ids) if (ids.indexOf(id) !== ids.lastIndexOf(id)) faults.add(`twice: #${id}`);
    }
    const found = texts();
    pale(found);
    if (onlyColours) return [...faults];
    const page = document.scrollingElement;
    if (page.scrollWidth > page.clientWidth + 1) faults.add(`wide: ${page.scrollWidth} in ${page.clientWidth}`);
    cut(found);
    overlapping(found);
    twice();
    targets();
    return [...faults];
}
