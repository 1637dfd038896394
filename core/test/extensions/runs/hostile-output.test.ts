import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkersOf } from "../../../src/extensions/test-tools/checker.js";
import { checksOf } from "../../../src/extensions/test-tools/node/check-facts.js";
import { newReports } from "../../../src/extensions/test-tools/node/jvm-projects.js";
import { readBunTest } from "../../../src/extensions/runs/bun-tests.js";
import { once } from "../../../src/extensions/runs/check-report.js";
import { formatCheckRun } from "../../../src/extensions/runs/format-check-report.js";
import { readGcc } from "../../../src/extensions/runs/gcc-messages.js";
import { readGoTest } from "../../../src/extensions/runs/go-test-events.js";
import { readJavac } from "../../../src/extensions/runs/javac-messages.js";
import { readGradle, readMaven } from "../../../src/extensions/runs/jvm-tests.js";
import { readOxlint, readPyright } from "../../../src/extensions/runs/linter-reports.js";
import { shortenedOutput } from "../../../src/extensions/runs/shortened-output.js";

const many = 200_000;
const exit = { code: 1, signal: null, durationMs: 1 };
const facts = { name: "javac", exit, handle: "t1", folder: "/w", timeoutMs: 1_000 };

/** With time that grows with the square of the length, each of these would take minutes. */
describe("output that was made to keep its reader busy", function () {
  this.timeout(60_000);

  it("is read at once where it is of a compiler", () => {
    const message = `a.c:1:1: error: ${" [-Wa".repeat(many)}`;
    assert.equal(readGcc(`${message}\nx${": In ".repeat(many)}\n${" ".repeat(many)}x`).findings.length, 1);
  });

  it("is read at once where it is of a build", () => {
    const blank = "\n".repeat(many);
    const gradle = readGradle(`BUILD FAILED\n* What went wrong:\na${blank}b\n\n* Try:\n`, "");
    assert.deepEqual(
      gradle?.faults.map(({ message }) => message.replace(/\n+/, " ")),
      ["a b"],
    );
    const goal = "[ERROR] Failed to execute goal a:b:c (d) on project e: why\n";
    const words = Array.from({ length: many / 4 }, (_, index) => `[ERROR] word ${index}\n`).join("");
    assert.equal(readMaven(`${goal}${words}[INFO] BUILD FAILURE\n`, "")?.faults.length, 1);
  });

  it("is read at once where it is of bun", () => {
    const lines = "1 | x\n".repeat(many / 4);
    const raw = `bun test v1.2.0\n\na.test.ts:\n${lines}(fail) a [1.00ms]\n 0 pass\n 1 fail\nRan 1 test across 1 file.\n`;
    assert.equal(readBunTest(raw)?.faults.length, 1);
  });

  it("is shown at once", () => {
    assert.equal(shortenedOutput(`a.py${" ".repeat(many)}z\n> 3 | x\n|${" ".repeat(many)}z`, 15, true).length, 3);
  });

  it("is told once for each place, of however many", () => {
    const findings = Array.from({ length: many / 10 }, (_, line) => ({ line, level: "error", message: "m" }) as const);
    assert.equal(once([...findings, ...findings]).length, findings.length);
  });

  it("has of Go's tests those that have no part that failed", () => {
    const events = ["T", "T/a", "T/a/b", "T/c"].map((Test) => JSON.stringify({ Action: "fail", Package: "p", Test }));
    assert.deepEqual(
      readGoTest(events.join("\n"), () => "")?.faults.map(({ name }) => name),
      ["T/a/b", "T/c"],
    );
  });
});

describe("a run that is not as good as it looks", () => {
  it("names reports that are no whole documents", () => {
    const events = JSON.stringify({ event: "report", text: "<testsuite><testcase" });
    assert.deepEqual(readMaven("[INFO] BUILD SUCCESS\n", events)?.notices, [
      "Unreadable reports, whose tests are missing here: 1.",
    ]);
  });

  it("says that no file was checked", () => {
    const notices = ["No file was checked: the configuration may exclude the requested files."];
    assert.deepEqual(readOxlint('{ "diagnostics": [], "number_of_files": 0 }')?.notices, notices);
    assert.deepEqual(readPyright('{ "generalDiagnostics": [], "summary": { "filesAnalyzed": 0 } }')?.notices, notices);
  });

  it("shows why a build failed that only warns of its code", () => {
    const raw = "[WARNING] /w/A.java:[3,5] unchecked\n[ERROR] Could not resolve dependencies\n";
    assert.match(formatCheckRun(readJavac(raw), { ...facts, raw }).text, /Could not resolve dependencies/);
  });
});

describe("what a folder says of its compilers and reports", () => {
  let folder = "";
  beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), "symposium-facts-"))));
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it("compiles from folders beside compile_commands.json, writes nothing, and says how many files it leaves out", async () => {
    const words = ["gcc", "-Wp,-MMD,a.d", "-MJ", "a.json", "-save-temps", "-c", "a.c", "-o", "a.o"];
    const entries = Array.from({ length: 203 }, (_, index) => ({
      ...{ directory: "build", file: `../${index}.c`, arguments: words },
    }));
    await writeFile(join(folder, "compile_commands.json"), JSON.stringify(entries));
    const checks = await checksOf(folder, undefined, []);
    const [gcc] = checkersOf({ folder, dependencies: [], installed: {}, checks });
    const commands = gcc?.commands(undefined) ?? [];
    assert.deepEqual(commands[0]?.args, ["-fsyntax-only", "a.c"]);
    assert.equal(commands[0].cwd, join(folder, "build"));
    assert.equal(commands.length, 200);
    assert.equal(gcc?.leftOut?.(undefined), "3 of 203 files were not compiled");
    assert.equal(gcc.leftOut(join(folder, "7.c")), undefined);
  });

  it("leaves what the process knew of its machine out of reports, however often it begins", async () => {
    const results = join(folder, "target", "surefire-reports");
    const reports = await newReports(folder);
    await mkdir(results, { recursive: true });
    const open = "<properties>".repeat(100_000);
    const text = `<testsuite><properties><property name="k" value="secret"/></properties><testcase/>${open}`;
    await writeFile(join(results, "TEST-a.xml"), text);
    const read = await reports.read();
    assert.equal(read.includes("secret"), false);
    assert.equal(read.includes("<testcase/>"), true);
  });
});
