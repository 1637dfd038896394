import assert from "node:assert/strict";
import { matchIn, textNote, toPattern } from "../../src/packages/text/line-search.js";

const isText = (query: string): boolean => toPattern(query).textBecause !== undefined;

describe("the pattern that lines are searched for", () => {
  it("is a regular expression where that is safe", () => {
    for (const query of [
      String.raw`const \w+ *=`,
      String.raw`interface \w+ {`,
      String.raw`export (?:declare )?(?:class|interface|type) \w+`,
      String.raw`(?<name>[\w$]+)\s*\(`,
      String.raw`[({\])+]+x`,
      String.raw`\(\w+\)+`,
      "(?:[0-9]{2}:){2}",
      "a{2,}?",
      "(ab)+",
      "^(?=.*x)y",
    ]) {
      assert.equal(isText(query), false, query);
    }
    assert.equal(matchIn("  const value   = 1;", toPattern(String.raw`const \w+ *=`)), 2);
  });

  it("is text where matching could take forever, or it is no regular expression, and says so", () => {
    for (const query of [
      String.raw`((\w+\.?)+\(`,
      String.raw`(\w+\.?)+\(`,
      "(a|a)*b",
      "(?:a?a?)+b",
      "((a+)b?){2,}",
      "(e+)+x",
      "a?".repeat(30) + "a".repeat(30),
      "(a|a)".repeat(30),
      "(?:(?:a{1000}){1000}){1000}",
      "(?:){1000000}",
      "extra(",
    ]) {
      assert.equal(isText(query), true, query);
      assert.equal(matchIn(`x${query}`, toPattern(query)), 1, query);
    }
    assert.match(textNote(toPattern("(a|a)*b")), /searched for as text: as a regular expression it could take forever/);
    assert.match(textNote(toPattern("extra(")), /searched for as text: it is no regular expression/);
    assert.equal(textNote(toPattern("a+")), "");
  });

  it("reaches less far into a line the more of it repeats without an end", () => {
    const line = `${"-".repeat(1_000)}needle`;
    const found = ["needle", "ne+dle", ".*needle", "n.*e.*d.*le"].map((query) => matchIn(line, toPattern(query)));
    assert.deepEqual(found, [1_000, 1_000, 0, undefined]);
    assert.equal(matchIn(`${"-".repeat(2_000)}needle`, toPattern("needle")), undefined);
    assert.equal(matchIn("  needle", toPattern("n.*e.*d.*le")), 2);
  });
});
