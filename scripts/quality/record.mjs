// Records the runs that `npm run quality` reads: node scripts/quality/record.mjs [--drift] [RUNNER [CASE]]. Prints differences from
// earlier recordings. With --drift, restores those and fails if there are differences. Runs the real tools, at the versions below, on the
// projects of `cases`. Needs a build (`npx tsc -b`), npm, python3, go, Maven, Gradle and a JDK 17.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { testServices } from "../../core/dist/src/extensions/test-tools/node.js";
import { checkersOf } from "../../core/dist/src/extensions/test-tools/checker.js";
import { runnersOf } from "../../core/dist/src/extensions/test-tools/test-runner.js";
import { Watchdog } from "../../core/dist/src/base/node/orphan-watchdog.js";
import { fail, root } from "../set-up.mjs";
import { bunCases } from "./cases/bun.mjs";
import { checkerCases } from "./cases/checkers.mjs";
import { goCases } from "./cases/go.mjs";
import { moreGoCases } from "./cases/go-more.mjs";
import { gradleCases } from "./cases/gradle.mjs";
import { moreGradleCases } from "./cases/gradle-more.mjs";
import { javascriptCases } from "./cases/javascript.mjs";
import { moreJavascriptCases } from "./cases/javascript-more.mjs";
import { mavenCases } from "./cases/maven.mjs";
import { pytestCases } from "./cases/pytest.mjs";

const versions = {
  npm: [
    ...["vitest@5.1.1", "jest@30.5.2", "mocha@12.0.3", "@playwright/test@1.65.1", "bun@1.4.5"],
    ...["typescript@6.0.3", "typescript5@npm:typescript@5.9.3", "typescript7@npm:typescript@7.0.2"],
    ...["eslint@10.15.0", "@biomejs/biome@2.6.8", "oxlint@1.94.0", "pyright@1.1.414"],
  ],
  go: ["github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0"],
  pip: ["pytest==9.2.0", "pytest-xdist==3.8.0", "ruff==0.17.6", "mypy==2.4.1"],
};
/** Folder of the tools. It is outside of any project, so that no project finds another project's files. */
const tools = process.env.SYMPOSIUM_QUALITY_TOOLS ?? join(homedir(), ".cache/symposium-quality");
const python = join(tools, "venv/bin");
const cases = [
  ...["vitest", "jest", "mocha", "playwright", "node"].flatMap((runner) => [
    ...javascriptCases(runner),
    ...moreJavascriptCases(runner),
  ]),
  ...bunCases,
  ...pytestCases,
  ...goCases,
  ...moreGoCases,
  ...mavenCases,
  ...gradleCases,
  ...moreGradleCases,
  ...checkerCases,
];
/** How people call the runner in a shell. */
const typescript = (version) => ["node", `node_modules/typescript${version}/bin/tsc`, "--noEmit"];
const shellCommands = {
  vitest: ["node", "node_modules/vitest/vitest.mjs", "run"],
  jest: ["node", "node_modules/jest/bin/jest.js"],
  mocha: ["node", "node_modules/mocha/bin/mocha.js"],
  playwright: ["node", "node_modules/@playwright/test/cli.js", "test"],
  node: ["node", "--test"],
  bun: ["bun", "test"],
  pytest: [join(python, "pytest")],
  go: ["go", "test", "./..."],
  maven: ["mvn", "test"],
  gradle: ["gradle", "--no-daemon", "test"],
  tsc: typescript(""),
  eslint: ["node", "node_modules/eslint/bin/eslint.js", "."],
  biome: ["node", "node_modules/@biomejs/biome/bin/biome", "check", "."],
  oxlint: ["node", "node_modules/oxlint/bin/oxlint", "."],
  pyright: ["node", "node_modules/pyright/index.js"],
  "go vet": ["sh", "-c", "go build -o /dev/null ./...; go vet ./..."],
  "golangci-lint": ["golangci-lint", "run"],
  gcc: ["sh", "-c", "for file in src/*.cc; do g++ -Wall -Wextra -fsyntax-only $file || code=1; done; exit $code"],
  ruff: [join(python, "ruff"), "check"],
  mypy: [join(python, "mypy"), "."],
};
/** By which variable runners know that an agent reads, for whom they write less. */
const agentModes = {
  vitest: { AI_AGENT: "1" },
  jest: { AI_AGENT: "1" },
  oxlint: { AI_AGENT: "1" },
  bun: { CLAUDECODE: "1" },
};
const fixtures = join(root, "test/fixtures/runners");
/** The same reading of recordings as `npm run quality` has. */
const recordings = join(root, "core/dist/test/quality/runner-recordings.js");
const { isFalseVerdict, missingSignals, runnerCases } = await import(recordings);
const usualLimitMs = 60_000;

const isDrift = process.argv.includes("--drift");
const [wantedRunner, wantedCase] = process.argv.slice(2).filter((word) => word !== "--drift");
const wanted = cases.filter(({ runner, name }) => (wantedRunner ?? runner) === runner && (wantedCase ?? name) === name);
if (wanted.length === 0) fail(`There is no case of "${[wantedRunner, wantedCase].filter(Boolean).join(" ")}".`);
installTools();
// The product looks there for what is installed.
// The program of bun is in the package of its platform; a script that we do not run would copy it.
const bun = join(tools, `node_modules/@oven/bun-${process.platform}-${process.arch}/bin`);
process.env.PATH = [dirname(process.execPath), join(tools, "bin"), bun, process.env.PATH].join(":");
const environment = {
  PATH: process.env.PATH,
  HOME: process.env.HOME,
  LANG: "C.UTF-8",
  PYTHONDONTWRITEBYTECODE: "1",
  GOTOOLCHAIN: "local",
  MAVEN_OPTS: `-Dmaven.repo.local=${join(tools, "m2")}`,
};
const reporters = Object.fromEntries(
  readdirSync(join(root, "core/reporters")).map((name) => [
    name,
    readFileSync(join(root, "core/reporters", name), "utf8"),
  ]),
);
const watchdog = new Watchdog();
const pythonHome = spawnSync(join(python, "python"), ["-c", "import sys; print(sys.base_prefix)"], {
  encoding: "utf8",
});
const goRoot = spawnSync("go", ["env", "GOROOT"], { encoding: "utf8" });
try {
  const drifts = [];
  for (const one of wanted) {
    const before = runnerCase(one.runner, one.name);
    const kept = before && isDrift ? recordedFiles(one) : undefined;
    await (checkerCases.includes(one) ? recordCheck(one) : record(one));
    const drift = driftOf(before, runnerCase(one.runner, one.name));
    if (kept) restore(one, kept);
    if (drift.length === 0) continue;
    drifts.push(one);
    console.log(`drift of ${one.runner} ${one.name}:\n${drift.map((line) => `  ${line}`).join("\n")}`);
  }
  console.log(`${wanted.length} recorded, ${drifts.length} say something else than before`);
  if (isDrift && drifts.length > 0) process.exitCode = 1;
} finally {
  watchdog[Symbol.dispose]();
}

/** What is recorded of it now; undefined where nothing is. */
function runnerCase(runner, name) {
  return runnerCases().find(({ recording }) => recording.runner === runner && recording.name === name);
}

/** How a new recording differs from the one before, in lines; none where that says the same, or there was none. */
function driftOf(before, after) {
  if (!before) return [];
  const endOf = ({ recording }) => `exit ${recording.exit.code ?? recording.exit.endedBy ?? recording.exit.signal}`;
  const linesOf = ({ ours }) => ours.replace(/\b\d+(?:\.\d+)? ?m?s\b/g, "0 ms").split("\n");
  const [was, is] = [before, after].map((one) => [endOf(one), ...linesOf(one)]);
  const lost = missingSignals(after.recording.signals, after.ours).map((signal) => `no longer told: ${signal}`);
  const verdict = isFalseVerdict(after) ? ["the verdict is false"] : [];
  return [
    ...was.filter((line) => !is.includes(line)).map((line) => `- ${line}`),
    ...is.filter((line) => !was.includes(line)).map((line) => `+ ${line}`),
    ...lost,
    ...verdict,
  ];
}

function recordedFiles({ runner, name }) {
  const names = readdirSync(join(fixtures, runner)).filter((file) => file.split(".")[0] === name);
  return new Map(names.map((file) => [file, readFileSync(join(fixtures, runner, file))]));
}

function restore({ runner, name }, kept) {
  for (const file of recordedFiles({ runner, name }).keys()) rmSync(join(fixtures, runner, file));
  for (const [file, bytes] of kept) writeFileSync(join(fixtures, runner, file), bytes);
}

async function record({ runner, name, files, signals, passes = false, timeoutMs = usualLimitMs, env = {}, ...more }) {
  const folder = write(files, runner, name);
  await using services = testServices({ watchdog, env: { ...environment, ...env }, reporters });
  const found = (await services.projects(folder, () => true)).flatMap(runnersOf);
  if (found.length !== 1)
    fail(`${runner} ${name}: the product finds ${found.map((one) => one.name).join(", ") || "no runner"}.`);
  await using events = await services.eventFile();
  const reporterFolder = await services.reporters();
  const command = found[0].command({ paths: [] }, reporterFolder, events.path);
  const reports = found[0].leavesReports ? await services.newReports(folder) : events;
  const run = await runOf(services, command, timeoutMs);
  const told = await reports.read();
  const neutral = (text) => neutralised(text, folder, reporterFolder, command.cwd);
  const shell = await inShell(services, runner, files, name, timeoutMs, {});
  const agent = agentModes[runner]
    ? await inShell(services, runner, files, name, timeoutMs, agentModes[runner])
    : undefined;
  const { durationMs: _duration, ...exit } = run.exit;
  const { goModule } = found[0];
  const facts = { runner, name, passes, exit, timeoutMs, ...(goModule && { goModule }), signals, ...more };
  if (facts.heldOut === false) delete facts.heldOut;
  for (const kind of ["json", "run.txt", "shell.txt", "agent.txt", "events.jsonl"]) {
    rmSync(join(fixtures, runner, `${name}.${kind}`), { force: true });
  }
  save(runner, `${name}.json`, `${JSON.stringify(facts, undefined, 2)}\n`);
  // The run's output is needed only if the reporter didn't reach its end; otherwise, the shell's output replaces it.
  if (!told.includes('"event":"end"') && !told.includes('"event": "end"'))
    save(runner, `${name}.run.txt`, neutral(run.output));
  save(runner, `${name}.shell.txt`, shell);
  if (told !== "") save(runner, `${name}.events.jsonl`, withoutEndedStarts(neutral(told)));
  if (agent !== undefined) save(runner, `${name}.agent.txt`, agent);
  console.log(`${runner} ${name}: exit ${exit.code ?? exit.endedBy}, ${run.output.length} characters`);
}

/** A run of a compiler or linter, whose two streams are read apart. */
async function recordCheck({ runner, name, files: given, signals, passes = false, ...more }) {
  const { typescript: version, env = {}, shell: ownShell } = more;
  // Which compiler a project has is which it finds in its node_modules.
  const files = version === undefined ? given : { ...given, ...shim(version) };
  const folder = write(files, runner, name);
  const shellWords = ownShell ?? (version === undefined ? shellCommands[runner] : typescript(version));
  await using services = testServices({ watchdog, env: { ...environment, ...env }, reporters });
  const found = (await services.projects(folder, () => true)).flatMap(checkersOf);
  if (found.length !== 1 || found[0].name !== runner || found[0].folder !== folder)
    fail(`${runner} ${name}: the product finds ${found.map((one) => one.name).join(", ") || "nothing"}.`);
  const neutral = (text) => neutralised(text, folder, undefined, folder);
  const { signal } = new AbortController();
  const parts = [];
  let exit = { code: 0, signal: null };
  for (const command of found[0].commands(undefined)) {
    let output = "";
    let errors = "";
    const { durationMs: _duration, ...end } = await services.run(command, {
      ...{ signal, timeoutMs: usualLimitMs },
      output: (text) => (output += text),
      errors: (text) => (errors += text),
    });
    const { leavesOut } = command;
    parts.push({
      output: neutral(output),
      errors: neutral(errors),
      exitCode: end.code,
      ...(leavesOut && { leavesOut }),
    });
    if (exit.code === 0) exit = end;
  }
  const [output, errors] = [parts.map((one) => one.output).join(""), parts.map((one) => one.errors).join("")];
  const { heldOut } = more;
  const isLeft = parts.some(({ leavesOut }) => leavesOut !== undefined);
  const ofParts = { ...(isLeft && { parts }), ...(heldOut && { heldOut }) };
  const facts = { runner, name, passes, exit, timeoutMs: usualLimitMs, signals, ...ofParts };
  const shell = await inShell(services, runner, files, name, usualLimitMs, {}, shellWords);
  const agent = agentModes[runner]
    ? await inShell(services, runner, files, name, usualLimitMs, agentModes[runner], shellWords)
    : undefined;
  for (const kind of ["json", "run.txt", "errors.txt", "shell.txt", "agent.txt"])
    rmSync(join(fixtures, runner, `${name}.${kind}`), { force: true });
  save(runner, `${name}.json`, `${JSON.stringify(facts, undefined, 2)}\n`);
  save(runner, `${name}.run.txt`, output);
  if (errors !== "") save(runner, `${name}.errors.txt`, errors);
  save(runner, `${name}.shell.txt`, shell);
  if (agent !== undefined) save(runner, `${name}.agent.txt`, agent);
  console.log(`${runner} ${name}: exit ${exit.code}, ${output.length} characters`);
}

/** A package that stands for the compiler of this version, which is found below the project. */
function shim(version) {
  const [from, to] = ["node_modules/typescript/package.json", "node_modules/typescript/bin/tsc.mjs"];
  const program = `file://${join(realpathSync(tools), `node_modules/typescript${version}/bin/tsc`)}`;
  return {
    [from]: '{ "name": "typescript", "version": "0.0.0", "bin": { "tsc": "bin/tsc.mjs" } }\n',
    [to]: `import ${JSON.stringify(program)};\n`,
  };
}

/** Returns a shell's output of the same run, in a newly written folder. */
async function inShell(services, runner, files, name, timeoutMs, env, shellWords = shellCommands[runner]) {
  const cwd = write(files, runner, name);
  const [program, ...words] = shellWords.map((word) => (word.startsWith("node_modules/") ? join(tools, word) : word));
  const { output } = await runOf(services, { command: program, args: words, cwd, env }, timeoutMs);
  return neutralised(output, cwd, undefined, cwd);
}

async function runOf(services, command, timeoutMs) {
  let output = "";
  const { signal } = new AbortController();
  const exit = await services.run(command, { signal, timeoutMs, output: (text) => (output += text) });
  return { exit, output };
}

function write(files, runner, name) {
  const folder = join(realpathSync(tools), "projects", runner, name);
  rmSync(folder, { recursive: true, force: true });
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text.replaceAll("{folder}", folder));
  }
  return folder;
}

/** The text without the paths of this machine. */
function neutralised(text, folder, reporterFolder, cwd) {
  const places = [
    [folder, "/w"],
    [cwd, "/w"],
    [reporterFolder, "/reporters"],
    [realpathSync(tools), "/tools"],
    [tools, "/tools"],
    [root.replace(/\/$/, ""), "/symposium"],
    [(pythonHome.stdout ?? "").trim(), "/python"],
    [goRoot.stdout.trim(), "/go"],
    [dirname(dirname(realpathSync(process.execPath))), "/node"],
    [homedir(), "/home/user"],
  ];
  return places
    .filter(([from]) => from)
    .reduce((result, [from, to]) => result.replaceAll(from, to), text)
    .replace(/^\{"Time":"[^"]*",/gm, "{")
    .replace(/\/tmp\/symposium-\w+-\w+/g, "/tmp/symposium")
    .replace(/https:\/\/[\w.-]+(?=\/maven2?\/)/g, "https://registry.example")
    .replace(/(Total time: +|Finished at: |Time elapsed: |time=\\?")[\d.:T+Z-]+/g, "$10")
    .replace(/\/tmp\/go-build\d+/g, "/tmp/go-build");
}

/** A start says something only of a test that did not end. */
function withoutEndedStarts(text) {
  const lines = text.trimEnd().split("\n");
  const isStart = (line) => /"event": ?"start"/.test(line);
  const nameIn = (line) => /"name": ?("(?:[^"\\]|\\.)*")/.exec(line)?.[1];
  const ended = new Set(lines.filter((line) => !isStart(line)).map(nameIn));
  return `${lines.filter((line) => !isStart(line) || !ended.has(nameIn(line))).join("\n")}\n`;
}

function save(runner, file, text) {
  const folder = join(fixtures, runner);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, file), text);
}

function installTools() {
  mkdirSync(tools, { recursive: true });
  const run = (program, words, env = {}) => {
    const { status, error } = spawnSync(program, words, {
      ...{ cwd: tools, stdio: ["ignore", 2, 2] },
      env: { ...process.env, ...env },
    });
    if (status !== 0) fail(`${program} ${words.join(" ")} failed: ${error?.message ?? `exit ${status}`}`);
  };
  if (!existsSync(join(tools, "package.json"))) writeFileSync(join(tools, "package.json"), "{}\n");
  const isThere = (name) => {
    const [, packageName, version] = /^(.+?)@(?:npm:.+@)?([\d.]+)$/.exec(name);
    const manifest = join(tools, "node_modules", packageName, "package.json");
    return existsSync(manifest) && JSON.parse(readFileSync(manifest, "utf8")).version === version;
  };
  if (wanted.every(({ runner }) => runner === "maven" || runner === "gradle")) return;
  const isBunAlone = wanted.every(({ runner }) => runner === "bun");
  const packages = versions.npm.filter((name) => !isBunAlone || name.startsWith("bun@"));
  if (!packages.every(isThere))
    run("npm", ["install", "--no-audit", "--no-fund", "--ignore-scripts", "--save-exact", ...packages]);
  if (isBunAlone) return;
  for (const [index, program] of ["golangci-lint"].entries()) {
    if (existsSync(join(tools, "bin", program))) continue;
    run("go", ["install", versions.go[index]], { GOBIN: join(tools, "bin"), GOTOOLCHAIN: "local" });
  }
  if (!existsSync(python)) run("python3", ["-m", "venv", "venv"]);
  run(join(python, "python"), ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", ...versions.pip]);
}
