// What the sources break of the rules of modules: who imports whom, no circles, no export that nobody uses.
import { mayImport, moduleOf } from "./table.mjs";

/** @param {readonly import("./import-graph.mjs").Source[]} sources @returns {string[]} one line for people each */
export function moduleProblems(sources) {
  return [...forbiddenImports(sources), ...circles(sources), ...unusedExports(sources)];
}

function forbiddenImports(sources) {
  return sources.flatMap(({ file, imports }) => {
    const place = moduleOf(file);
    if (!place) return [];
    const found = new Set(imports.map(({ from }) => from).filter((from) => !mayImport(place, from)));
    return [...found].map(
      (from) => `${file} imports ${from}, which ${place.module.path} may not (scripts/modules/table.mjs)`,
    );
  });
}

/** Every group of files that import each other, types included. What is loaded on demand makes no circle. */
function circles(sources) {
  const next = new Map(
    sources.map(({ file, imports }) => [file, imports.filter(({ isLate }) => !isLate).map(({ from }) => from)]),
  );
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
  /^core\/src\/testing\/(?:node\/)?index\.ts$/,
  /\.d\.ts$/,
  /(?:^|\/)[\w.-]*\.config\.\w+$/,
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
      .map(([name, { line }]) => `${file}:${line} exports ${name}, which nobody imports`);
  });
}
