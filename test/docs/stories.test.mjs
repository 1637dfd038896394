import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { readSources } from "../../scripts/modules/import-graph.mjs";
import { root } from "./documents.mjs";

/** The most files that each story may list. */
const limits = new Map([
  ["A prompt through `run-with`", 22],
  ["A call of a user's MCP server", 12],
  ["A keystroke in the panel", 13],
  ["`registry install`", 12],
  ["A permission that a rule decides", 10],
  ["An agent started in the sandbox", 14],
  ["A hunk undone in the review", 12],
  ["`sessions continue`", 12],
]);
const endings = [".ts", ".tsx", ".mjs"];
const architecture = readFileSync(join(root, "ARCHITECTURE.md"), "utf8");
const stories = readStories(sectionOf("Eight stories"));
/** Results of `importsOf`, by file. */
const importsByFile = new Map();

describe("the stories in ARCHITECTURE.md", () => {
  it("are the eight that have limits", () => {
    assert.deepEqual(
      stories.map(({ title }) => title),
      [...limits.keys()],
    );
  });

  it("list as many files as they announce, each once, and no more than their limit", () => {
    const wrong = stories.filter(({ title, announced, steps }) => {
      const paths = new Set(steps.map(({ path }) => path));
      return steps.length !== announced || paths.size !== announced || announced > (limits.get(title) ?? 0);
    });
    assert.deepEqual(wrong, []);
  });

  it("list files that exist", () => {
    const missing = stories.flatMap(({ title, steps }) =>
      steps.filter(({ path }) => fileOf(path) === undefined).map(({ path }) => `${title}: ${path}`),
    );
    assert.deepEqual(missing, []);
  });

  it("lead from each file to the next by imports or names, or mark the step with *then*", () => {
    const unexplained = stories.flatMap(({ title, steps }) =>
      steps.flatMap(({ path, isMarked }, index) => {
        const file = fileOf(path);
        if (index === 0 || isMarked || file === undefined) return [];
        const before = steps.slice(0, index).flatMap((step) => fileOf(step.path) ?? []);
        return isImported(file, before) || isNamed(path, before) ? [] : [`${title}: ${path}`];
      }),
    );
    assert.deepEqual(unexplained, []);
  });
});

describe("the entry points in ARCHITECTURE.md", () => {
  it("are files and folders that exist", () => {
    const paths = tableRows(sectionOf("Entry points")).flatMap(([, places = ""]) => codeIn(places));
    assert.ok(paths.length >= 40);
    assert.deepEqual(
      paths.filter((path) => !existsSync(join(root, path)) && fileOf(path) === undefined),
      [],
    );
  });
});

/** Returns the text below a heading of the second level, up to the next one. */
function sectionOf(heading) {
  const [, section] = architecture.split(`\n## ${heading}\n`);
  assert.ok(section !== undefined, `ARCHITECTURE.md has no section "${heading}".`);
  const [text = ""] = section.split("\n## ");
  return text;
}

/** Reads list items such as "- **title** (2 files): `a`, *then* `b`." */
function readStories(section) {
  return section.split(/^- (?=\*\*)/m).flatMap((item) => {
    const [, title, count, rest] = /^\*\*(.+?)\*\*\s+\((\d+)\s+files\):([^]*)$/.exec(item) ?? [];
    if (title === undefined) return [];
    const steps = [...rest.matchAll(/([*_]then[*_]\s+)?`([^`]+)`/g)].map(([, mark, path]) => ({
      path,
      isMarked: mark !== undefined,
    }));
    return [{ title, announced: Number(count), steps }];
  });
}

/** The cells of each row of a Markdown table, without its head. */
function tableRows(section) {
  const lines = section.split("\n").filter((line) => line.startsWith("|"));
  return lines.slice(2).map((line) =>
    line
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

function codeIn(text) {
  return [...text.matchAll(/`([^`]+)`/g)].map(([, code]) => code);
}

/** The file of a path without its ending; undefined if there is none. */
function fileOf(path) {
  return endings.map((ending) => `${path}${ending}`).find(isFile);
}

function isFile(file) {
  return existsSync(join(root, file));
}

/** Whether one of the files `before` imports `file`, or imports a file that does. */
function isImported(file, before) {
  const direct = before.flatMap(importsOf);
  return direct.includes(file) || direct.some((between) => importsOf(between).includes(file));
}

/** Whether one of the files `before` contains the folder and the name of `path`, as in `chat/chat-tab`. */
function isNamed(path, before) {
  const name = `${posix.basename(posix.dirname(path))}/${posix.basename(path)}`;
  return before.some((file) => readFileSync(join(root, file), "utf8").includes(name));
}

/** The files of this repository that `file` imports. */
function importsOf(file) {
  let found = importsByFile.get(file);
  if (found === undefined) {
    const text = readFileSync(join(root, file), "utf8");
    // Only this file is parsed; the other files are asked for by their paths.
    const [{ imports }] = readSources({ has: isFile, [Symbol.iterator]: () => [[file, text]].values() });
    found = [...new Set(imports.map(({ from }) => from))].filter((from) =>
      endings.some((ending) => from.endsWith(ending) && isFile(from)),
    );
    importsByFile.set(file, found);
  }
  return found;
}
