import assert from "node:assert/strict";
import { compareJvmVersions } from "../../../src/extensions/packages/jvm/artifact-stores.js";
import { readJavaFile } from "../../../src/extensions/packages/jvm/java-file.js";

describe("a file of Java", () => {
  it("is read in one pass, whatever it holds", function () {
    this.timeout(120_000);
    const begun = performance.now();
    for (const part of ["{", "(", "}", "class A { ", "@A(", "/*", '"""', "= ", "a b, ", "enum A { {} "])
      readJavaFile(`class A { ${part.repeat(20_000)}`);
    assert.ok(performance.now() - begun < 30_000);
  });

  it("has records, generic methods, fields with values and text blocks", () => {
    const text =
      'public record Point<T>(int x, int y) implements Shape {\n  static final String TEXT = """\n    } class No {\n    """;\n  public <A, B> Map<A, B> both(A a) { return null; }\n  char c = \'{\';\n}\n';
    assert.deepEqual(
      readJavaFile(text).map(({ kind, name, owners, line }) => [kind, name, owners.join("."), line]),
      [
        ["type", "Point", "", 1],
        ["field", "TEXT", "Point", 2],
        ["method", "both", "Point", 5],
        ["field", "c", "Point", 6],
      ],
    );
  });
});

describe("versions of artifacts", () => {
  it("are ordered as Maven orders them", () => {
    const sorted = [
      "1.0-alpha1",
      "1.0-beta2",
      "1.0-rc1",
      "1.0-SNAPSHOT",
      "1.0",
      "1.0.1",
      "1.2",
      "1.10",
      "2.0",
      "33.4.0-jre",
    ];
    assert.deepEqual(sorted.toReversed().toSorted(compareJvmVersions), sorted);
    assert.equal(compareJvmVersions("1.0.0", "1.0"), 0);
    assert.equal(compareJvmVersions("1.0.Final", "1.0"), 0);
  });
});
