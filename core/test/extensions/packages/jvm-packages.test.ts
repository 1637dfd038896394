import assert from "node:assert/strict";
import { JvmPackages } from "../../../src/extensions/packages/jvm/jvm-packages.js";
import type { PackageAnswer } from "../../../src/extensions/packages/package-reader.js";
import { MemoryFiles } from "./memory-files.js";

const repository = "/home/me/.m2/repository";
const gradle = "/home/me/.gradle/caches/modules-2/files-2.1";
const machine = { env: {}, home: "/home/me", platform: "linux", arch: "x64", sha256: (text: string) => text };

type Texts = Readonly<Record<string, string>>;

/** An artifact in Maven's local repository: its pom, and its jars with what is in them. */
function stored(
  coordinates: string,
  { pom = "", jar = {}, sources }: { pom?: string; jar?: Texts; sources?: Texts } = {},
): Texts {
  const [group = "", artifact = "", version = ""] = coordinates.split(":");
  const base = `${repository}/${group.replaceAll(".", "/")}/${artifact}/${version}/${artifact}-${version}`;
  return {
    [`${base}.pom`]: project(coordinates, pom),
    [`${base}.jar`]: "PK",
    ...inside(`${base}.jar`, jar),
    ...(sources && { [`${base}-sources.jar`]: "PK", ...inside(`${base}-sources.jar`, sources) }),
  };
}

function inside(archive: string, files: Texts): Texts {
  return Object.fromEntries(Object.entries(files).map(([path, text]) => [`${archive}/${path}`, text]));
}

function project(coordinates: string, more = ""): string {
  const [group = "", artifact = "", version = ""] = coordinates.split(":");
  return `<project><groupId>${group}</groupId><artifactId>${artifact}</artifactId><version>${version}</version>${more}</project>`;
}

function dependency(coordinates: string, more = ""): string {
  const [group = "", artifact = "", version] = coordinates.split(":");
  return `<dependency><groupId>${group}</groupId><artifactId>${artifact}</artifactId>${version === undefined ? "" : `<version>${version}</version>`}${more}</dependency>`;
}

const dependencies = (...all: readonly string[]): string => `<dependencies>${all.join("")}</dependencies>`;

async function ask(texts: Texts, name: string, from = "/w/src/main/java/shop/Cart.java"): Promise<PackageAnswer> {
  return new JvmPackages(new MemoryFiles(texts), machine).resolve({ name, from });
}

async function versionOf(texts: Texts, name: string, from?: string): Promise<string | undefined> {
  const answer = await ask(texts, name, from);
  return answer.kind === "installed" ? answer.version : `absent ${answer.wanted ?? ""}`.trim();
}

const money = `package com.acme.money;

import com.acme.base.Amount;

/** An amount. */
public class Money extends Amount implements Comparable<Money> {
  /** None of it: "{" and } in texts do not count. */
  public static final Money NONE = new Money(0) { { } };
  private int cents;

  /**
   * Adds.
   *
   * @param other what is added
   */
  @Deprecated(since = "1.2", forRemoval = {true})
  public Money plus(Money other) throws ArithmeticException {
    class Local { void hidden() { } }
    return new Money(cents + other.cents); // }
  }

  public Money plus(int cents) { return new Money(this.cents + cents); }

  /** How it is rounded. */
  public enum Rounding {
    UP,
    /** Down. */
    DOWN(1) { };

    public int digits() { return 2; }
  }

  public interface Reader {
    Money read(String text);
  }
}
`;
const acme = {
  ...stored("com.acme:money:1.2", {
    pom: dependencies(dependency("com.acme:base:2.0"), dependency("com.acme:tests:1.0", "<scope>test</scope>")),
    jar: { "com/acme/money/Money.class": "" },
    sources: { "com/acme/money/Money.java": money },
  }),
  ...stored("com.acme:money:1.1"),
  ...stored("com.acme:base:2.0", { jar: { "com/acme/base/Amount.class": "" } }),
  ...stored("com.acme:base:3.0", { jar: { "com/acme/base/Amount.class": "" } }),
};
const shop = (more: string): Texts => ({ ...acme, "/w/pom.xml": project("com.acme:shop:1.0", more) });

describe("the artifacts of a project of Maven", () => {
  it("are found by an import's class in their jars, with versions out of properties", async () => {
    const pom = `<properties><money>1.2</money><m>\${money}</m></properties>${dependencies(dependency("com.acme:money:${m}"))}`;
    const answer = await ask(shop(pom), "com.acme.money.Money");
    assert.deepEqual(answer, {
      kind: "installed",
      ecosystem: "jvm",
      name: "com.acme:money",
      version: "1.2",
      folder: `${repository}/com/acme/money/1.2/money-1.2-sources.jar`,
      subpath: "com/acme/money/Money",
      why: [
        "/w/pom.xml depends on it directly",
        "it is read from the pom.xml and its parents, without running Maven or applying profiles",
      ],
      others: [{ version: "1.1", wantedBy: [] }],
      isFixed: true,
    });
  });

  it("have the version of the parent's dependencyManagement, also where another artifact brings them", async () => {
    const managed = (version: string): string =>
      `<dependencyManagement>${dependencies(dependency(`com.acme:base:${version}`))}</dependencyManagement>`;
    const parent = "<parent><groupId>com.acme</groupId><artifactId>all</artifactId><version>1</version></parent>";
    const texts = {
      ...acme,
      "/w/pom.xml": project("com.acme:all:1", managed("3.0")),
      "/w/shop/pom.xml": `<project>${parent}<artifactId>shop</artifactId>${dependencies(dependency("com.acme:money:1.2"))}</project>`,
    };
    const answer = await ask(texts, "com.acme.base.Amount", "/w/shop/src/main/java/shop/Cart.java");
    assert.equal(answer.kind === "installed" && answer.version, "3.0");
    assert.deepEqual(answer.why.slice(0, 2), ["com.acme:money brings it", "/w/pom.xml sets the version"]);
  });

  it("have the versions of imported lists, and those of the nearest before those further away", async () => {
    const texts = {
      ...shop(
        `<dependencyManagement>${dependencies(dependency("com.acme:bom:1", "<type>pom</type><scope>import</scope>"))}</dependencyManagement>${dependencies(dependency("com.acme:money"), dependency("com.acme:base:3.0"))}`,
      ),
      ...stored("com.acme:bom:1", {
        pom: `<dependencyManagement>${dependencies(dependency("com.acme:money:1.2"))}</dependencyManagement>`,
      }),
    };
    assert.equal(await versionOf(texts, "com.acme:money"), "1.2");
    assert.equal(await versionOf(texts, "com.acme.base.Amount"), "3.0");
  });

  it("leave out what is excluded, optional, or for the tests of another", async () => {
    const exclusion =
      "<exclusions><exclusion><groupId>com.acme</groupId><artifactId>*</artifactId></exclusion></exclusions>";
    await assert.rejects(
      ask(shop(dependencies(dependency("com.acme:money:1.2", exclusion))), "com.acme.base.Amount"),
      /No dependency of \/w\/pom\.xml contains com\.acme\.base\.Amount\./,
    );
    assert.equal(await versionOf(shop(dependencies(dependency("com.acme:money:1.2"))), "com.acme:tests"), "absent");
  });

  it("say what is not on this machine, and how to get its sources", async () => {
    const texts = shop(dependencies(dependency("com.acme:money:1.2"), dependency("com.acme:tax:7")));
    const tax = await ask(texts, "com.acme:tax");
    assert.deepEqual([tax.kind, tax.why[1]], ["absent", "its jar is not on this machine"]);
    const base = await ask(texts, "com.acme.base.Amount");
    assert.match(
      base.why.join(";"),
      /only its classes are here.*mvn dependency:get -Dartifact=com\.acme:base:2\.0:jar:sources/,
    );
    assert.match(base.why.join(";"), /unknown: com\.acme:tax:7/);
  });

  it("come to an end where parents and lists of versions lead in circles", async () => {
    const parent = (artifact: string): string =>
      `<parent><groupId>com.acme</groupId><artifactId>${artifact}</artifactId><version>1</version></parent>`;
    const list = `<dependencyManagement>${dependencies(dependency("com.acme:a:1", "<type>pom</type><scope>import</scope>"))}</dependencyManagement>`;
    const texts = {
      ...stored("com.acme:a:1", { pom: parent("b") + list + dependencies(dependency("com.acme:b:1")) }),
      ...stored("com.acme:b:1", { pom: parent("a") + dependencies(dependency("com.acme:a:1")) }),
      "/w/pom.xml": project(
        "com.acme:shop:1",
        `${parent("a")}<properties><x>\${y}</x><y>\${x}</y></properties>${dependencies(dependency("com.acme:c:${x}"))}`,
      ),
    };
    assert.equal(await versionOf(texts, "com.acme:b"), "1");
  });

  it("never make a path of what is no coordinate", async () => {
    const texts = {
      ...shop(
        dependencies(
          dependency("../../..:etc:1"),
          dependency("com.acme:../../../../../x:1"),
          dependency("com.acme:money:1.2/../1.1"),
        ),
      ),
    };
    const files = new MemoryFiles(texts);
    const answer = await new JvmPackages(files, machine).resolve({ name: "com.acme:money", from: "/w" });
    assert.equal(answer.kind, "absent");
    assert.deepEqual(
      files.wasRead.filter((path) => path.includes("..")),
      [],
    );
    for (const name of ["com.acme:..", "a:b:c:d", "../x", "com..acme", "-Dx=y.Z", "com.acme.Money;rm"])
      await assert.rejects(ask(texts, name), /isn't a Java or Kotlin import|isn't an artifact/, name);
  });
});

describe("the artifacts of a project of Gradle", () => {
  const cached = (coordinates: string, jar: Texts): Texts => {
    const [group = "", artifact = "", version = ""] = coordinates.split(":");
    const place = `${gradle}/${group}/${artifact}/${version}`;
    const archive = `${place}/5ha1/${artifact}-${version}.jar`;
    return {
      [`${place}/9ab2/${artifact}-${version}.pom`]: project(coordinates),
      [archive]: "PK",
      ...inside(archive, jar),
    };
  };
  const cache = {
    ...cached("com.acme:money:1.2", { "com/acme/money/Money.class": "" }),
    ...cached("com.acme:money:1.3", { "com/acme/money/Money.class": "" }),
    ...cached("com.acme:tax:2.0", { "com/acme/tax/Tax.class": "" }),
  };
  const catalog = `[versions]
tax = "2.0"
[libraries]
tax-core = { module = "com.acme:tax", version.ref = "tax" }
money = "com.acme:money:1.2"
[bundles]
all = ["money", "tax-core"]
`;

  it("have the versions of the lock file, whatever the script asks for", async () => {
    const texts = {
      ...cache,
      "/w/build.gradle": "dependencies { implementation 'com.acme:money:1.2' }",
      "/w/gradle.lockfile": "# locked\ncom.acme:money:1.3=compileClasspath,runtimeClasspath\nempty=\n",
    };
    const answer = await ask(texts, "com.acme.money.Money");
    assert.equal(answer.kind === "installed" && answer.version, "1.3");
    assert.deepEqual(answer.why.slice(0, 2), [
      "/w/build.gradle depends on it directly",
      "/w/gradle.lockfile sets the version",
    ]);
  });

  it("have those of the catalog and the script without a lock, of which the newest counts", async () => {
    const script = (text: string): Texts => ({
      ...cache,
      "/w/settings.gradle.kts": "",
      "/w/gradle/libs.versions.toml": catalog,
      "/w/app/build.gradle.kts": `dependencies {\n  ${text}\n}`,
    });
    const from = "/w/app/src/main/kotlin/Main.kt";
    assert.equal(await versionOf(script("implementation(libs.tax.core)"), "com.acme.tax.Tax", from), "2.0");
    assert.equal(await versionOf(script("testImplementation(libs.bundles.all)"), "com.acme:money", from), "1.2");
    const both =
      'api(libs.money) // "com.acme:money:9"\n  implementation(group = "com.acme", name = "money", version = "1.3")';
    assert.equal(await versionOf(script(both), "com.acme:money", from), "1.3");
    const named = 'val v = "1.2"\n  runtimeOnly("com.acme:money:$v")';
    assert.equal(await versionOf(script(named), "com.acme:money", from), "1.2");
  });
});

describe("what sources of Java declare", () => {
  const reader = new JvmPackages(new MemoryFiles(shop(dependencies(dependency("com.acme:money:1.2")))), machine);
  const found = async () => {
    const answer = await reader.resolve({ name: "com.acme.money.Money", from: "/w" });
    assert.equal(answer.kind, "installed");
    return answer;
  };

  it("are the visible members of a class", async () => {
    assert.deepEqual(await reader.names(await found()), ["Money", "NONE", "Reader", "Rounding", "plus"]);
    assert.equal(await reader.entry(await found()), "com/acme/money/Money.java");
  });

  it("are methods with all their forms, documentation and place", async () => {
    const items = await reader.items(await found(), "Money.plus");
    assert.deepEqual(
      items.map(({ file, line, text }) => [file, line, text]),
      [
        [
          "com/acme/money/Money.java",
          17,
          '  /**\n   * Adds.\n   *\n   * @param other what is added\n   */\n  @Deprecated(since = "1.2", forRemoval = {true})\n  public Money plus(Money other) throws ArithmeticException {\n    class Local { void hidden() { } }\n    return new Money(cents + other.cents); // }\n  }',
        ],
        ["com/acme/money/Money.java", 22, "  public Money plus(int cents) { return new Money(this.cents + cents); }"],
      ],
    );
  });

  it("are types with their members, nested ones, constants and what is in them", async () => {
    const [type] = await reader.items(await found(), "Rounding");
    assert.match(
      type?.text ?? "",
      /^ {2}\/\*\* How it is rounded\. \*\/\n {2}public enum Rounding \{\n {4}UP,\n.*DOWN\(1\).*\n {4}public int digits\(\).*\n {2}\}$/s,
    );
    assert.equal((await reader.items(await found(), "Rounding.DOWN")).length, 1);
    assert.equal((await reader.items(await found(), "Reader.read"))[0]?.text, "    Money read(String text);");
    assert.deepEqual(await reader.items(await found(), "hidden"), []);
    assert.deepEqual(await reader.items(await found(), "Nowhere"), []);
  });

  it("are found from the artifact, too, by the class's name", async () => {
    const artifact = await reader.resolve({ name: "com.acme:money", from: "/w" });
    assert.equal(artifact.kind, "installed");
    assert.equal((await reader.items(artifact, "Money.plus")).length, 2);
    assert.deepEqual(await reader.names(artifact), ["com.acme.money.Money"]);
  });

  it("are said to be missing where only the classes are there", async () => {
    const base = await reader.resolve({ name: "com.acme.base.Amount", from: "/w" });
    assert.equal(base.kind, "installed");
    await assert.rejects(reader.items(base, "Amount"), /The sources of com\.acme:base 2\.0 are not on this machine/);
    assert.equal(await reader.entry(base), "com/acme/base/Amount.class");
  });
});

describe("the sources of the JDK", () => {
  const jdk = { "/jdk/release": 'JAVA_VERSION="21.0.2"\n', "/jdk/bin/java": "" };
  const ofJdk = (texts: Texts, name: string): Promise<PackageAnswer> =>
    new JvmPackages(new MemoryFiles(texts), { ...machine, env: { JAVA_HOME: "/jdk" } }).resolve({ name, from: "/w" });

  it("are in lib/src.zip, in the folder of the module that has the class", async () => {
    const zip = "/jdk/lib/src.zip";
    const texts = {
      ...jdk,
      [zip]: "PK",
      ...inside(zip, { "java.base/java/util/List.java": "", "java.sql/java/sql/Date.java": "" }),
    };
    const answer = await ofJdk(texts, "java.sql.Date");
    assert.deepEqual(answer.kind === "installed" && [answer.version, answer.folder, answer.only], [
      "21.0.2",
      `${zip}/java.sql`,
      ["java/sql"],
    ]);
    await assert.rejects(ofJdk(texts, "java.util.Nowhere"), /The JDK 21\.0\.2 has no java\.util\.Nowhere/);
  });

  it("are said to be missing where the system left them out", async () => {
    await assert.rejects(ofJdk(jdk, "java.util.List"), /has no sources: its lib\/src\.zip is missing/);
  });
});
