// The suites of `npm test`, the fast ones first, and how each is cut into parts that may run side by side.
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { root } from "../set-up.mjs";

/**
 * `folder` and `suffix` say which files; `parts`, in how many processes they run ("files": one each). Of a `program`, `parts` are
 * the words that it runs with, one each. `uses` names what no two
 * parts may use at once. `limitMinutes` is for a part as a whole. `isLarge`: needs agents and
 * editors that are fetched. Suites that are not `isFast` start real agents, servers or
 * editors.
 */
const suites = [
  { name: "core", folder: "core/dist/test", parts: 4, timeoutMs: 60_000, isFast: true },
  { name: "extension", folder: "vscode-extension/dist-ts/test/unit", parts: 3, timeoutMs: 60_000, isFast: true },
  {
    ...{ name: "lint", program: "scripts/test/lint.mjs", isFast: true },
    parts: ["code", "format", "modules"],
  },
  { name: "conformance", folder: "test/dist/conformance", parts: 1, timeoutMs: 120_000, isFast: true },
  { name: "test runner", folder: "test/runner", suffix: ".test.mjs", parts: 1, timeoutMs: 120_000, isFast: true },
  { name: "docs", folder: "test/docs", suffix: ".test.mjs", parts: 1, timeoutMs: 120_000, isFast: true },
  { name: "test support", folder: "test/dist/support", parts: 1, timeoutMs: 60_000, isFast: true },
  {
    ...{ name: "release", folder: "test/release", suffix: ".test.mjs", parts: 1, timeoutMs: 180_000, limitMinutes: 60 },
    uses: "the bundled extension",
  },
  { name: "VS Code", folder: "test/dist/vscode", parts: "files", timeoutMs: 300_000, limitMinutes: 25, isLarge: true },
  {
    ...{ name: "extension host", program: "test/dist/vscode/run-host-suites.js", limitMinutes: 30, isLarge: true },
    uses: "the bundled extension",
  },
  { name: "end to end", folder: "test/dist/e2e", parts: "files", timeoutMs: 400_000, limitMinutes: 45, isLarge: true },
  { name: "language servers", folder: "lsp-adapter/dist/test", parts: 2, timeoutMs: 180_000, limitMinutes: 30 },
];
const usualLimitMinutes = 15;

export const suiteNames = suites.map(({ name }) => name);

/**
 * The parts of the chosen suites, each with its `name`, the `words` that Node runs, what it `uses` and its `limitMinutes`.
 * `isFast` leaves out what starts real agents, servers or editors; `only` names suites.
 */
export function partsOf({ isFast = false, only = [] }) {
  return suites
    .filter((suite) => (isFast ? suite.isFast === true : true) && (only.length === 0 || only.includes(suite.name)))
    .flatMap((suite) => {
      const limitMinutes = suite.limitMinutes ?? usualLimitMinutes;
      const part = { suite: suite.name, uses: suite.uses, isLarge: suite.isLarge === true, limitMinutes };
      if (suite.program !== undefined) return programParts(suite, part);
      const groups = cut(filesOf(suite), suite.parts);
      return groups.map((files, index) => ({
        ...part,
        name: groups.length === 1 ? suite.name : `${suite.name}: ${labelOf(suite, files, index, groups.length)}`,
        words: mochaWords(files, suite.timeoutMs),
      }));
    });
}

function programParts({ name, program, parts }, part) {
  const words = [join(root, program)];
  if (parts === undefined) return [{ ...part, name, words }];
  return parts.map((word) => ({ ...part, name: `${name}: ${word}`, words: [...words, word] }));
}

function filesOf({ folder, suffix = ".test.js" }) {
  const place = join(root, folder);
  if (!existsSync(place)) throw new Error(`${place} does not exist: the build made no tests there.`);
  const names = readdirSync(place, { recursive: true }).filter((name) => name.endsWith(suffix));
  return names.sort().map((name) => join(place, name));
}

/** Files of one folder stand together, since they are alike; so each group gets every `count`th. */
function cut(files, parts) {
  const count = parts === "files" ? files.length : Math.min(parts, files.length);
  return Array.from({ length: count }, (_, index) => files.filter((_file, place) => place % count === index));
}

function labelOf({ parts }, files, index, count) {
  if (parts !== "files") return `${index + 1} of ${count}`;
  return files[0].replace(/^.*[\\/]/, "").replace(/\.test\.\w+$/, "");
}

function mochaWords(files, timeoutMs) {
  return [
    ...[join(root, "node_modules/mocha/bin/mocha.js"), "--reporter", join(root, "scripts/test/reporter.cjs")],
    ...["--timeout", String(timeoutMs), "--forbid-only", ...files],
  ];
}
