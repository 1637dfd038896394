// The suites of the tests, their halves (`npm test` and `npm run test:all`), and the parts that may run side by side.
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { root } from "../set-up.mjs";

const every = /^/;
const none = /$^/;

/**
 * The suites. Fields:
 * - `folder`, `suffix`: the files; or `program`: what runs instead.
 * - `parts`: the number of processes, or "files" for one process per file. For a `program`, its arguments, with one process each.
 * - `walks`: the files that `npm test` runs, by their path in `folder`. `npm run test:all` runs the others.
 * - `isFast`: starts no real agent, server or editor; all that `--fast` runs.
 * - `needsFetched`: uses agents or editors that are downloaded.
 * - `mayFlake`: starts a real editor or a real agent, so a file that fails runs once more.
 * - `uses`: parts with the same one never run at once.
 * - `seconds`: its weight until a run has measured it.
 */
const suites = [
  { name: "core", isFast: true, folder: "core/dist/test", walks: every, parts: 4, timeoutMs: 60_000, seconds: 90 },
  {
    ...{ name: "extension", isFast: true, folder: "vscode-extension/dist-ts/test/unit", walks: every, parts: 3 },
    ...{ timeoutMs: 60_000, seconds: 60 },
  },
  {
    name: "lint",
    isFast: true,
    program: "scripts/test/lint.mjs",
    walks: every,
    parts: ["code", "format", "modules", "english", "texts"],
    seconds: 10,
  },
  {
    name: "conformance",
    isFast: true,
    folder: "test/dist/conformance",
    walks: every,
    parts: 1,
    timeoutMs: 120_000,
    seconds: 40,
  },
  {
    name: "test runner",
    isFast: true,
    folder: "test/runner",
    suffix: ".test.mjs",
    walks: every,
    parts: 1,
    timeoutMs: 120_000,
  },
  { name: "docs", isFast: true, folder: "test/docs", suffix: ".test.mjs", walks: every, parts: 1, timeoutMs: 120_000 },
  { name: "test support", isFast: true, folder: "test/dist/support", walks: every, parts: 1, timeoutMs: 60_000 },
  {
    ...{ name: "walks", folder: "test/dist/walks", walks: every, parts: "files", timeoutMs: 400_000, seconds: 60 },
    ...{ needsFetched: true, mayFlake: true },
  },
  {
    ...{ name: "package walk", folder: "test/walks", suffix: ".test.mjs", parts: 1, timeoutMs: 300_000 },
    ...{ walks: every, uses: "the bundled extension", seconds: 30 },
  },
  {
    ...{ name: "release", folder: "test/release", suffix: ".test.mjs", parts: 1, timeoutMs: 180_000, limitMinutes: 60 },
    walks: /^(?!artifacts\/)/,
    ...{ uses: "the bundled extension", seconds: 1500 },
  },
  {
    ...{ name: "release rehearsal", folder: "test/rehearsal", suffix: ".test.mjs", parts: 1, timeoutMs: 180_000 },
    ...{ limitMinutes: 60, walks: none, seconds: 500 },
  },
  {
    // The files of a process share one server and one browser.
    ...{ name: "VS Code", folder: "test/dist/vscode", parts: 2, timeoutMs: 300_000, limitMinutes: 40, seconds: 1400 },
    ...{ needsFetched: true, mayFlake: true, walks: none },
  },
  {
    ...{ name: "extension host", program: "test/dist/vscode/run-host-suites.js", limitMinutes: 30, seconds: 600 },
    ...{ needsFetched: true, mayFlake: true, uses: "the bundled extension", walks: none },
  },
  {
    ...{
      name: "end to end",
      folder: "test/dist/e2e",
      parts: "files",
      timeoutMs: 400_000,
      limitMinutes: 45,
      seconds: 30,
    },
    ...{ needsFetched: true, mayFlake: true },
    walks: none,
  },
  {
    ...{ name: "language servers", folder: "lsp-adapter/dist/test", parts: 2, timeoutMs: 180_000, limitMinutes: 30 },
    ...{ mayFlake: true, seconds: 30, walks: /^(?!servers\/)/ },
  },
];
const usualLimitMinutes = 15;

export const suiteNames = suites.map(({ name }) => name);

/**
 * Returns the parts of the chosen suites. Node runs a part's `words`, followed by its test `files`. `half` is "walks", "rest" or "both".
 * `isFast` selects the suites with `isFast`. `only` lists the suites' names; empty for all. `slowness` multiplies the parts' limits; the
 * reporter multiplies the tests' limits.
 */
export function partsOf({ half = "both", isFast = false, only = [], slowness = 1 }) {
  return suites
    .filter((suite) => (!isFast || suite.isFast === true) && (only.length === 0 || only.includes(suite.name)))
    .flatMap((suite) => {
      const { name, uses, mayFlake = false, needsFetched = false, seconds = 20 } = suite;
      const limitMinutes = (suite.limitMinutes ?? usualLimitMinutes) * slowness;
      const part = { suite: name, uses, mayFlake, needsFetched, limitMinutes, seconds };
      const isChosen = (file) => half === "both" || suite.walks.test(file) === (half === "walks");
      if (suite.program !== undefined) return isChosen("program") ? programParts(suite, part) : [];
      const groups = cut(filesOf(suite).filter(isChosen), suite.parts);
      return groups.map((files, index) => ({
        ...part,
        name:
          groups.length === 1 && suite.parts !== "files"
            ? name
            : `${name}: ${labelOf(suite, files, index, groups.length)}`,
        words: mochaWords(suite.timeoutMs),
        files: files.map((file) => join(root, suite.folder, file)),
      }));
    });
}

function programParts({ name, program, parts }, part) {
  const words = [join(root, program)];
  if (parts === undefined) return [{ ...part, name, words }];
  return parts.map((word) => ({ ...part, name: `${name}: ${word}`, words: [...words, word] }));
}

/** Paths in the suite's folder, with slashes. The compiler leaves the tests of deleted sources: these are left out. */
export function filesOf({ folder, suffix = ".test.js" }, base = root) {
  const place = join(base, folder);
  if (!existsSync(place)) throw new Error(`${place} does not exist: the build made no tests there.`);
  const sources = join(base, folder.replace(/\/dist(?:-ts)?(?=\/)/, ""));
  const names = readdirSync(place, { recursive: true }).filter((name) => name.endsWith(suffix));
  return names
    .filter((name) => existsSync(join(sources, name.replace(/\.js$/, ".ts"))))
    .map((name) => name.replaceAll("\\", "/"))
    .sort();
}

/** Files of one folder are alike, so each group gets every `count`th. */
function cut(files, parts) {
  const count = parts === "files" ? files.length : Math.min(parts, files.length);
  return Array.from({ length: count }, (_, index) => files.filter((_file, place) => place % count === index));
}

function labelOf({ parts }, files, index, count) {
  if (parts !== "files") return `${index + 1} of ${count}`;
  return files[0].replace(/\.test\.\w+$/, "");
}

function mochaWords(timeoutMs) {
  return [
    ...[join(root, "node_modules/mocha/bin/mocha.js"), "--reporter", join(root, "scripts/test/reporter.cjs")],
    ...["--timeout", String(timeoutMs), "--forbid-only"],
  ];
}
