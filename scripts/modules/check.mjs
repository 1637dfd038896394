// Finds violations of the module rules: forbidden imports, import cycles, unused exports, forbidden program starts and types that share a
// name.
import { allOfCore, corePackage, modules } from "./table.mjs";

/** @param {readonly import("./import-graph.mjs").Source[]} sources @returns {string[]} one line for people each */
export function moduleProblems(sources) {
  return [forbiddenImports, circles, unusedExports, programStarts, sharedNames].flatMap((find) => find(sources));
}

/** The product, and its files that may start a program, which `startProgram` and the watchdog need. */
const product = /^(?:core|lsp-adapter|vscode-extension)\/(?:src|bin|webview|protocol)\//;
const startsPrograms = ["core/src/base/node/start-program.ts", "core/src/base/node/orphan-watchdog.ts"];

/** Files of the product that could start a program around `startProgram`, or load what the sources do not name. */
function programStarts(sources) {
  return sources
    .filter(({ file }) => product.test(file) && !startsPrograms.includes(file))
    .flatMap(({ file, loaded }) =>
      loaded
        .filter((specifier) => /^(?:\?|(?:node:)?(?:child_process|cluster))$/.test(specifier))
        .map((specifier) =>
          specifier === "?"
            ? `${file} loads what only a run knows: write the module's name`
            : `${file} loads ${specifier}: startProgram, askProgram and askGit start programs (core/src/base/node)`,
        ),
    );
}

const mostTypesOfOneName = 3;

/** Names that too many types of the product have, so that a reader can't tell which one is meant. */
function sharedNames(sources) {
  const owners = new Map();
  for (const { file, types } of sources.filter((source) => product.test(source.file))) {
    for (const name of types) owners.set(name, [...(owners.get(name) ?? []), file]);
  }
  return [...owners]
    .filter(([, files]) => files.length > mostTypesOfOneName)
    .map(([name, files]) => `${files.length} types are named ${name}: ${files.join(", ")}`);
}

function forbiddenImports(sources) {
  const files = new Set(sources.map(({ file }) => file));
  return sources.flatMap(({ file, imports }) => {
    const place = moduleOf(file);
    if (!place) return [];
    const forbidden = imports.map(({ from }) => from).filter((from) => !mayImport(place, from, files.has(from)));
    return [...new Set(forbidden)].map((from) => `${file} imports ${from}, which ${place.path} may not`);
  });
}

/** The files by which core is known to other packages. */
const coreEntries = ["core/src/index.ts", "core/src/node.ts"];

/** The module of a file, and whether the file is of its half that uses the system. */
function moduleOf(file) {
  const found = modules.find(({ path }) => file.startsWith(`${path}/`));
  return (
    found && {
      ...found,
      isSystem:
        found.system !== undefined &&
        (/\/node(?:\.ts$|\/)/.test(file.slice(found.path.length)) ||
          found.system.folders.some((folder) => file.startsWith(`${folder}/`))),
    }
  );
}

function mayImport(place, from, isFile) {
  const allowed = place.modules;
  const packages = [...place.packages, ...(place.isSystem ? place.system.packages : [])];
  if (allowed.includes(corePackage) && coreEntries.includes(from)) return true;
  const target = moduleOf(from);
  if (!target) return isFile ? allowed.includes(from.split("/")[0]) : packages.includes(packageOf(from));
  const hasSystem = place.isSystem || packages.includes("node:*");
  if (target.isSystem && !hasSystem && !allowed.includes(allOfCore)) return false;
  if (target.path === place.path || allowed.includes(target.path)) return true;
  return allowed.includes(allOfCore) && target.path.startsWith("core/src/");
}

/** What is written of something that is no file of ours: `node:*` or a package. */
function packageOf(specifier) {
  if (specifier.startsWith("node:")) return "node:*";
  return specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/");
}

/** Every group of files that import each other, with types and with what is loaded on demand. */
function circles(sources) {
  const next = new Map(sources.map(({ file, imports }) => [file, imports.map(({ from }) => from)]));
  const order = new Map();
  const lowest = new Map();
  const open = [];
  const found = [];
  const visit = (file) => {
    const number = order.size;
    order.set(file, number);
    lowest.set(file, number);
    open.push(file);
    for (const other of next.get(file) ?? []) {
      if (!next.has(other)) continue;
      if (!order.has(other)) visit(other);
      if (open.includes(other)) lowest.set(file, Math.min(lowest.get(file), lowest.get(other)));
    }
    if (lowest.get(file) !== number) return;
    const group = open.splice(open.indexOf(file));
    if (group.length > 1) found.push(`These import each other: ${group.sort().join(", ")}`);
  };
  for (const file of next.keys()) if (!order.has(file)) visit(file);
  return found;
}

/** Files that somebody else than our own code reads: all they export is used. */
const entries = [
  /^vscode-extension\/src\/extension\.ts$/,
  /^core\/testing\/(?:node\/)?index\.ts$/,
  // The command loads it by its package's name.
  /^lsp-adapter\/src\/index\.ts$/,
  // Tests load them by name.
  /^scripts\/release\/[\w-]+-checks\.mjs$/,
  /\.d\.ts$/,
  /(?:^|\/)[\w.-]*\.config\.\w+$/,

  // Test runners load them by path.
  /^core\/reporters\//,
];

function unusedExports(sources) {
  const used = new Set();
  const whole = new Set();
  for (const { file, imports } of sources) {
    for (const { from, names } of imports) {
      if (from === file) continue;
      if (names === "all") whole.add(from);
      else for (const name of names) used.add(`${from} ${name}`);
    }
  }
  return sources.flatMap(({ file, exports }) => {
    if (whole.has(file) || entries.some((entry) => entry.test(file))) return [];
    return [...exports]
      .filter(([name]) => !used.has(`${file} ${name}`))
      .map(
        ([name, { line, isUsedHere }]) =>
          `${file}:${line} exports ${name}, which nobody ${isUsedHere ? "imports" : "uses"}`,
      );
  });
}
