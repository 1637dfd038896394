import assert from "node:assert/strict";
import { parseXml } from "../../../src/base/xml.js";
import { noCatalog, parseGradleScript, parseProperties } from "../../../src/extensions/packages/jvm/gradle-build.js";
import { ArtifactStores } from "../../../src/extensions/packages/jvm/artifact-stores.js";
import { MavenModels } from "../../../src/extensions/packages/jvm/maven-models.js";
import { readDistribution } from "../../../src/extensions/packages/python/distribution.js";
import { parseRequirements } from "../../../src/extensions/packages/python/other-locks.js";
import { MemoryFiles } from "./memory-files.js";

const size = 1_000_000;
const spaces = " ".repeat(size);

/** Texts that exceed the time limit if reading takes quadratic time. */
describe("texts that are written to take forever", function () {
  this.timeout(120_000);

  const readers: Readonly<Record<string, () => unknown>> = {
    "comments of a build script that do not end": () =>
      parseGradleScript("/*a".repeat(size), "/w/build.gradle", noCatalog, new Map()).dependencies.length,
    "space in properties": () => parseProperties(`a=b${spaces}c`).size - 1,
    "space in requirements": () => parseRequirements(`a${spaces}x\na==1${spaces}x`).distributions.size,
    "declarations of XML": () => parseXml("<!a>".repeat(size))?.children.length ?? 0,
  };
  for (const [what, read] of Object.entries(readers)) it(`are read at once: ${what}`, () => assert.equal(read(), 0));
});

describe("files of a project that mean harm", () => {
  it("fill no memory by properties of a pom.xml that multiply", async () => {
    const dependency = `<dependency><groupId>\${a}</groupId><artifactId>\${b}</artifactId><version>\${c}</version></dependency>`;
    const properties = `<a>${"${b}".repeat(200)}</a><b>${"${c}".repeat(200)}</b><c>${"x".repeat(900)}</c>`;
    const pom = `<project><groupId>g</groupId><artifactId>x</artifactId><version>1</version><properties>${properties}</properties><dependencies>${dependency}</dependencies></project>`;
    const files = new MemoryFiles({ "/w/pom.xml": pom });
    const stores = new ArtifactStores(files, { env: {}, home: "/home/me" });
    const [found] = (await new MavenModels(files, stores).modelOf("/w/pom.xml"))?.dependencies ?? [];
    assert.ok(found && found.group.length + found.artifact.length <= 2_000);
    assert.equal(found.version, "x".repeat(900));
  });

  it("send Windows to no other machine by the address of an editable installation", async () => {
    const editableOf = async (url: string): Promise<string | undefined> => {
      const files = new MemoryFiles({
        "/s/a-1.dist-info/METADATA": "Name: a\nVersion: 1\n",
        "/s/a-1.dist-info/direct_url.json": JSON.stringify({ url, dir_info: { editable: true } }),
      });
      return (await readDistribution(files, "/s", "a-1.dist-info"))?.editable;
    };
    assert.equal(await editableOf("file:///w/a%20b/"), "/w/a b");
    assert.equal(await editableOf("file:///C:/a"), "C:/a");
    for (const url of ["file:////host/a", "file:///%2Fhost/a", "file:///%5Chost/a", "file:///\\host\\a"])
      assert.equal(await editableOf(url), undefined, url);
  });
});
