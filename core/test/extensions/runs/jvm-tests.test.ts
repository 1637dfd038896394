import assert from "node:assert/strict";
import { readJavac } from "../../../src/extensions/runs/javac-messages.js";
import { readGradle, readMaven } from "../../../src/extensions/runs/jvm-tests.js";

const suite = (text: string, name = "shop.CartTest"): object => ({
  event: "report",
  text: `<testsuite name="${name}">${text}</testsuite>`,
});
const source = (path: string): object => ({ event: "source", path });
const lines = (...events: readonly object[]): string => events.map((event) => JSON.stringify(event)).join("\n");
const success = "[INFO] Scanning for projects...\n[INFO] BUILD SUCCESS\n";
const failure = "[INFO] Scanning for projects...\n[INFO] BUILD FAILURE\n";

describe("a report of Maven", () => {
  it("finds the place of a call in the module that has its package, not in another of the same name", () => {
    const text = `<testcase name="adds" classname="com.acme.shop.CartTest"><failure type="java.lang.AssertionError"><![CDATA[java.lang.AssertionError: no
	at com.acme.shop.Cart.add(Cart.java:7)
	at com.acme.shop.CartTest.adds(CartTest.java:12)
	at org.junit.Assert.fail(Assert.java:89)]]></failure></testcase>`;
    const sources = ["web/src/main/java/com/acme/web/Cart.java", "core/src/main/java/com/acme/shop/Cart.java"];
    const tests = "core/src/test/java/com/acme/shop/CartTest.java";
    const report = readMaven(failure, lines(suite(text), ...[...sources, tests].map(source)));
    assert.deepEqual(report?.faults, [
      {
        kind: "test",
        name: "CartTest.adds",
        file: tests,
        line: 12,
        testFile: tests,
        message: "no",
        stack:
          "    at Cart.add (core/src/main/java/com/acme/shop/Cart.java:7)\n    at CartTest.adds (core/src/test/java/com/acme/shop/CartTest.java:12)",
        output: "",
      },
    ]);
  });

  it("tells of tests that passed only when they ran again, and counts them as passed", () => {
    const text = `<testcase name="adds" classname="shop.CartTest"><flakyFailure type="x">java.lang.AssertionError: late</flakyFailure></testcase>`;
    const report = readMaven(success, lines(suite(text)));
    assert.equal(report?.counts.passed, 1);
    assert.deepEqual(report.notices, ["CartTest.adds passed only when retried: late"]);
  });

  it("names the classes that ran and left no report", () => {
    const report = readMaven(failure.replace("BUILD", "Running shop.CartTest\n[INFO] BUILD"), "");
    assert.deepEqual(report?.notices, ["Modules without a report, whose tests are missing here: shop.CartTest."]);
  });

  it("has not come to its end where Maven does not say so, and names the class that was running", () => {
    const report = readMaven("[INFO] Running shop.SlowTest\n", "");
    assert.equal(report?.isComplete, false);
    assert.deepEqual(report.running, ["shop.SlowTest"]);
  });

  it("leaves out files that are no reports, and is none where nothing of Maven's was said", () => {
    const report = readMaven(
      success,
      lines({ event: "report", text: "<testsuite><cut" }, { event: "report", text: "" }),
    );
    assert.equal(report?.faults.length, 0);
    assert.equal(readMaven("bash: mvn: command not found", ""), undefined);
  });

  it("tells once of a goal that fails, and not of one of which the tests say it all", () => {
    const goal =
      "[ERROR] Failed to execute goal com.acme:lint-maven-plugin:1.0:check (default) on project shop: 3 violations -> [Help 1]\n";
    const tests =
      "[ERROR] Failed to execute goal org.apache.maven.plugins:maven-surefire-plugin:3.5.2:test (default-test) on project shop: There are test failures.\n[ERROR] -> [Help 1]\n";
    const failed = suite(`<testcase name="adds" classname="shop.CartTest"><failure message="no" type="x"/></testcase>`);
    const report = readMaven(failure + tests + goal, lines(failed));
    assert.deepEqual(
      report?.faults.map(({ kind, name, message }) => [kind, name, message]),
      [
        ["test", "CartTest.adds", "x: no"],
        ["build", "shop lint-maven-plugin:1.0:check", "3 violations"],
      ],
    );
  });
});

describe("a report of Gradle", () => {
  it("tells what went wrong where no test says it", () => {
    const raw = `> Task :compileJava FAILED

FAILURE: Build failed with an exception.

* What went wrong:
Execution failed for task ':compileJava'.
> Could not resolve all files for configuration ':compileClasspath'.
   > Could not find com.acme:nowhere:9.9.

* Try:
Run with --stacktrace

BUILD FAILED in 1s
`;
    const report = readGradle(raw, "");
    assert.deepEqual(
      report?.faults.map(({ name, message }) => [name, message]),
      [
        [
          ":compileJava",
          "Could not resolve all files for configuration ':compileClasspath'.\nCould not find com.acme:nowhere:9.9.",
        ],
      ],
    );
  });
});

describe("what javac says", () => {
  it("has the column that its sign points to, and the lines that say more", () => {
    const text = `/w/A.java:6: error: cannot find symbol
  void pay() { missing(price); }
               ^
  symbol:   method missing(int)
  location: class A
/w/A.java:9: warning: [deprecation] old() has been deprecated
import nowhere.Thing;
              ^
2 errors
`;
    assert.deepEqual(readJavac(text).findings, [
      {
        file: "/w/A.java",
        line: 6,
        column: 16,
        level: "error",
        message: "cannot find symbol\nsymbol:   method missing(int)\nlocation: class A",
      },
      { file: "/w/A.java", line: 9, column: 15, level: "warning", message: "[deprecation] old() has been deprecated" },
    ]);
  });

  it("is told once where Maven says it twice, and Kotlin's in the same way", () => {
    const text =
      "[ERROR] /w/A.java:[3,5] no\n[INFO] 1 error\n[ERROR] Failed\n[ERROR] /w/A.java:[3,5] no\ne: file:///w/B.kt:2:7 Unresolved reference: x\n";
    assert.deepEqual(
      readJavac(text).findings.map(({ file, line, message }) => [file, line, message]),
      [
        ["/w/A.java", 3, "no"],
        ["/w/B.kt", 2, "Unresolved reference: x"],
      ],
    );
  });
});
