import assert from "node:assert/strict";
import { JvmPackages } from "../../../../src/extensions/packages/jvm/jvm-packages.js";
import { MemoryFiles } from "../memory-files.js";
import { compressedPackages } from "./recorded-packages.js";

/** Recorded Maven project, reduced to the parts that describe its artifacts, and Maven's own list of their versions. */
interface RecordedMaven {
  readonly pom: string;
  /** By `group:artifact`. */
  readonly versions: Readonly<Record<string, string>>;
  /** Of artifacts, their parents and lists of versions, by the path in the local repository. */
  readonly poms: Readonly<Record<string, string>>;
}

const repository = "/home/me/.m2/repository";

describe("artifacts that a project of Maven uses", function () {
  this.timeout(120_000);

  it("come at the version that Maven itself lists, all of a recorded project, offline", async () => {
    const { pom, versions, poms } = compressedPackages("maven") as RecordedMaven;
    const texts = Object.entries(poms).flatMap(([path, text]) => [
      [`${repository}/${path}`, text],
      [`${repository}/${path.replace(/pom$/, "jar")}`, "PK"],
    ]);
    const stored = Object.fromEntries(texts) as Readonly<Record<string, string>>;
    const files = new MemoryFiles({ "/w/pom.xml": pom, "/w/src/main/java/A.java": "", ...stored });
    const machine = { env: {}, home: "/home/me", platform: "linux", arch: "x64", sha256: (text: string) => text };
    const packages = new JvmPackages(files, machine);
    const answers: Record<string, string | undefined> = {};
    for (const name of Object.keys(versions)) {
      const answer = await packages.resolve({ name, from: "/w/src/main/java/A.java" });
      answers[name] = answer.kind === "installed" ? answer.version : `absent: ${answer.why.join("; ")}`;
    }
    assert.ok(Object.keys(versions).length > 50);
    assert.deepEqual(answers, versions);
  });
});
