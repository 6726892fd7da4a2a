// Makes static/vendor/codemirror.js of codemirror.js and the packages it imports, with their licences beside it.
// With --check it writes nothing, and fails where what is there is not what it would write.

import { readFileSync, writeFileSync } from "node:fs";
import { build } from "esbuild";

const HERE = new URL(".", import.meta.url);
const VENDOR = new URL("../static/vendor/", HERE);

const { outputFiles, metafile } = await build({
  entryPoints: [new URL("codemirror.js", HERE).pathname],
  bundle: true,
  format: "esm",
  minify: true,
  target: "es2022",
  legalComments: "none",
  banner: {
    js: "// @ts-nocheck\n// Made by `npm run editor`; its parts and their licences are in codemirror.licences.txt.",
  },
  absWorkingDir: new URL("../../../../", HERE).pathname,
  metafile: true,
  write: false,
});
const packages = new Set(
  Object.keys(metafile.inputs).flatMap((path) => path.match(/^node_modules\/((?:@[^/]+\/)?[^/]+)/)?.[1] ?? []),
);
const licences = [...packages].sort().map((name) => {
  const folder = new URL(`../../../../node_modules/${name}/`, HERE);
  const { version } = JSON.parse(readFileSync(new URL("package.json", folder), "utf8"));
  return `${name} ${version}\n\n${readFileSync(new URL("LICENSE", folder), "utf8").trim()}\n`;
});
const made = {
  "codemirror.js": outputFiles[0].text,
  "codemirror.licences.txt": licences.join(`\n${"-".repeat(80)}\n\n`),
};

for (const [name, text] of Object.entries(made)) {
  const file = new URL(name, VENDOR);
  if (!process.argv.includes("--check")) writeFileSync(file, text);
  else if (readFileSync(file, "utf8") !== text)
    throw new Error(`static/vendor/${name} is not up to date: npm run editor`);
}
