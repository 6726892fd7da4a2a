// Builds the scripts that a page carries or loads as one file each, from the modules they are written as.
//
//     npm run build             writes them
//     node bundle.js --check    writes nothing, and fails if one is not what would be written
//     node bundle.js --names    writes the viewer's with the names of functions, which `tests/mutants.py` reads

import { createHash } from "node:crypto";
import { readdirSync, readFileSync, renameSync, unlinkSync, writeFileSync } from "node:fs";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const isCheck = process.argv.includes("--check");
const ROOT = "src/lapilli/";
const VIEWER = { sources: "src/lapilli/viewer/static", minifyIdentifiers: !process.argv.includes("--names") };
/** CodeMirror stays a file of its own: it is larger than all the rest, and changes less often. */
const codemirror = {
  name: "codemirror",
  setup: (made) =>
    made.onResolve({ filter: /vendor\/codemirror\.js$/ }, () => ({
      path: "../static/vendor/codemirror.js",
      external: true,
    })),
};
const SITE = {
  sources: "src/lapilli/site/frontend/static",
  others: ["src/lapilli/viewer/static"],
  plugins: [codemirror],
};
const BUNDLES = [
  { ...VIEWER, entry: "player/page.js", file: "src/lapilli/viewer/built/page.js" },
  { ...VIEWER, entry: "analysis/analysed.js", file: "src/lapilli/viewer/built/analysed.js" },
  // Older browsers must be able to read this one: it says that they are too old.
  { ...VIEWER, entry: "player/start.js", file: "src/lapilli/viewer/built/start.js", format: "iife", target: "es2015" },
  {
    sources: "src/lapilli/site/frontend/codemirror",
    entry: "codemirror.js",
    folder: "src/lapilli/site/frontend/static/vendor", // with a file for each language
    splitting: true,
    chunkNames: "codemirror-[name]-[hash]",
    licences: "src/lapilli/site/frontend/static/vendor/codemirror.licences.txt",
  },
  // Last, since they are built from all modules of pages, and the one above is among these.
  { ...SITE, entry: "pages.js", file: "src/lapilli/site/frontend/built/pages.js" },
  { ...SITE, entry: "study_pages.js", file: "src/lapilli/site/frontend/built/study.js" },
  { ...SITE, entry: "ide/ide.js", file: "src/lapilli/site/frontend/built/editor.js" },
];

process.chdir(fileURLToPath(new URL(".", import.meta.url)));
for (const { sources, others = [], entry, file, folder, licences, ...options } of BUNDLES) {
  const { outputFiles, metafile } = await build({
    entryPoints: [`${sources}/${entry}`],
    bundle: true,
    preserveSymlinks: true, // the same names of chunks where node_modules is a link to another folder
    format: "esm",
    target: "es2022",
    minifyWhitespace: true,
    minifySyntax: true,
    minifyIdentifiers: true,
    charset: "utf8",
    legalComments: "none",
    banner: { js: bannerOf([sources, ...others]) },
    metafile: true,
    write: false,
    outdir: folder,
    ...options,
  });
  const made = outputFiles.map(({ path, text }) => [file ?? relative(".", path), text]);
  for (const [path, text] of made) put(path, text);
  if (folder) clear(folder, new Set(made.map(([path]) => path)));
  if (licences) put(licences, licencesOf(metafile));
}

/**
 * Names the folders that a script is built from, with a hash of all modules in them: their paths and contents.
 * tests/architecture/test_bundles.py computes it, too, and so does src/lapilli/site/http/assets.py.
 */
function bannerOf(folders) {
  const hash = createHash("sha256");
  const paths = folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true }).flatMap((path) => (path.endsWith(".js") ? `${folder}/${path}` : [])),
  );
  for (const path of paths.sort()) hash.update(`${path.replace(ROOT, "")}\n`).update(readFileSync(path));
  const made = hash.digest("hex").slice(0, 16);
  return `// Built by "npm run build" from ${folders.join(" and ")}, whose modules have the hash ${made}`;
}

/** The licences of all packages in a bundle. */
function licencesOf({ inputs }) {
  const found = Object.keys(inputs).flatMap(
    (path) => path.match(/(?:^|\/)node_modules\/((?:@[^/]+\/)?[^/]+)/)?.[1] ?? [],
  );
  const texts = [...new Set(found)].sort().map((name) => {
    const { version } = JSON.parse(readFileSync(`node_modules/${name}/package.json`, "utf8"));
    return `${name} ${version}\n\n${readFileSync(`node_modules/${name}/LICENSE`, "utf8").trim()}\n`;
  });
  return texts.join(`\n${"-".repeat(80)}\n\n`);
}

/** Deletes the scripts in a folder that are no longer built. */
function clear(folder, made) {
  const paths = readdirSync(folder).map((name) => `${folder}/${name}`);
  for (const path of paths.filter((one) => one.endsWith(".js") && !made.has(one))) {
    if (isCheck) throw new Error(`${path} is no longer built: npm run build`);
    unlinkSync(path);
  }
}

/** Writes a file as a new one, so that whoever reads it, or has a link to it, never sees half of it. */
function put(file, text) {
  if (isCheck) {
    if (readFileSync(file, "utf8") !== text) throw new Error(`${file} is not up to date: npm run build`);
    return;
  }
  writeFileSync(`${file}.new`, text);
  renameSync(`${file}.new`, file);
}
