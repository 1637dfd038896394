import assert from "node:assert/strict";
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { jvmTestCommand } from "../../../../src/extensions/test-tools/jvm-runner.js";
import { findJvmProject, newReports } from "../../../../src/extensions/test-tools/node/jvm-projects.js";

describe("a project of the JVM", () => {
  let root: string;

  beforeEach(async () => (root = await realpath(await mkdtemp(join(tmpdir(), "symposium-jvm-")))));
  afterEach(() => rm(root, { recursive: true, force: true }));

  async function write(path: string, text: string, mode = 0o644): Promise<string> {
    const file = join(root, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text, { mode });
    return file;
  }

  it("is built from the pom.xml above that names it as a module, by its wrapper", async function () {
    if (process.platform === "win32") return this.skip();
    await write("pom.xml", "<project><modules><module>services/shop</module></modules></project>");
    await write("mvnw", "#!/bin/sh\n", 0o755);
    await write("services/shop/pom.xml", "<project/>");
    await write("other/pom.xml", "<project/>");
    const program = join(root, "mvnw");
    assert.deepEqual(await findJvmProject(join(root, "services/shop")), {
      tool: "maven",
      program,
      root,
      module: "services/shop",
    });
    assert.equal((await findJvmProject(join(root, "other")))?.root, join(root, "other"));
  });

  it("is Gradle's where only that has files, from the folder with the settings on", async () => {
    await write("settings.gradle.kts", "");
    await write("app/build.gradle.kts", "");
    assert.deepEqual(await findJvmProject(join(root, "app")), {
      tool: "gradle",
      program: "gradle",
      root,
      module: "app",
    });
    assert.equal(await findJvmProject(dirname(root)), undefined);
  });

  it("reads only the reports of this run, without what the process knew of its machine", async () => {
    const old = "target/surefire-reports/TEST-shop.OldTest.xml";
    await write(old, "<testsuite/>");
    await write("src/test/java/shop/CartTest.java", "");
    await write("src/test/java/shop/Other.java", "");
    const reports = await newReports(root);
    const text = `<testsuite><properties><property name="token" value="s3cret"/></properties><testcase classname="shop.CartTest"/></testsuite>`;
    await write("target/surefire-reports/TEST-shop.CartTest.xml", text);
    const events = (await reports.read())
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as unknown);
    assert.deepEqual(events, [
      { event: "report", text: `<testsuite><testcase classname="shop.CartTest"/></testsuite>` },
      { event: "source", path: "src/test/java/shop/CartTest.java" },
    ]);
  });
});

describe("what tests of the JVM are run by", () => {
  const maven = { tool: "maven", program: "mvn", root: "/w", module: "" } as const;
  const gradle = { tool: "gradle", program: "gradle", root: "/w", module: "app/web" } as const;

  it("is Maven with the classes of files, and tests by a part of their name", () => {
    const words = (paths: readonly string[], filter?: string): string[] =>
      jvmTestCommand(maven, { paths, ...(filter !== undefined && { filter }) }, "/r").args.filter((arg) =>
        arg.startsWith("-Dtest="),
      );
    const file = "/w/src/test/java/shop/CartTest.java";
    assert.deepEqual(words([]), []);
    assert.deepEqual(words([file]), ["-Dtest=shop.CartTest"]);
    assert.deepEqual(words(["core/src/test/kotlin/shop/PayTest.kt"]), ["-Dtest=shop.PayTest"]);
    assert.deepEqual(words([file], "adds -DskipTests"), ["-Dtest=shop.CartTest#*adds*DskipTests*"]);
    assert.deepEqual(words([], "adds"), ["-Dtest=*adds*,*#*adds*"]);
    assert.deepEqual(words(["/w/src/test/java/a b/Evil,$(x).java", "/w/src/main/java/shop/Cart.java"]), []);
  });

  it("is Gradle's task of the module, with our script", () => {
    const { args, cwd } = jvmTestCommand(gradle, { paths: ["/w/app/web/src/test/java/shop/CartTest.java"] }, "/r");
    assert.equal(cwd, "/w");
    assert.deepEqual(args, [
      ...["--console=plain", "--no-daemon", "--continue", "--init-script", "/r/symposium.gradle"],
      ...[":app:web:test", "--tests", "shop.CartTest"],
    ]);
  });
});
