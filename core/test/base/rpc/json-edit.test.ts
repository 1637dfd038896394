import assert from "node:assert/strict";
import fc from "fast-check";
import { Json } from "../../../src/base/rpc/json.js";
import { arrayOf, elementsOf, memberOf, withMember, withoutMember } from "../../../src/base/rpc/json-edit.js";
import { jsonText, nameString, stringText } from "./json-text.js";

const key = fc.oneof(nameString, fc.constantFrom("a", "b", '"', "é", "")).filter((name) => name !== "__proto__");
const path = fc
  .tuple(key, fc.array(key, { maxLength: 2 }))
  .map(([first, rest]): [string, ...string[]] => [first, ...rest]);
/** Objects whose names come from a small set, so that paths often meet something. */
const nested: fc.Arbitrary<string> = fc.letrec<{ object: string }>((tie) => ({
  object: fc
    .array(
      fc
        .tuple(stringText(fc.constantFrom("a", "b", "c")), fc.oneof(jsonText, tie("object")))
        .map(([name, value]) => `${name} : ${value}`),
      { maxLength: 3 },
    )
    .map((members) => `{ ${members.join(" , ")} }`),
})).object;
const text = fc.oneof(jsonText, nested).filter((json) => !json.includes("__proto__"));

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Reference implementation of {@link withMember} for parsed values. */
function set(value: unknown, [first, ...rest]: readonly string[], next: unknown): unknown {
  if (first === undefined) return next;
  const object = isObject(value) ? value : {};
  const old = Object.hasOwn(object, first) ? object[first] : undefined;
  return { ...object, [first]: set(old, rest, next) };
}

describe("withMember", () => {
  it("does to the text what assigning does to the value", () => {
    const path3 = fc.oneof(
      path,
      fc
        .array(fc.constantFrom("a", "b", "c"), { minLength: 1, maxLength: 3 })
        .map(([first = "a", ...rest]): [string, ...string[]] => [first, ...rest]),
    );
    fc.assert(
      fc.property(text, path3, jsonText, (json, at, value) => {
        const edited = withMember(Json.ofText(json), at, Json.ofText(value));
        assert.deepEqual(JSON.parse(edited.text), set(JSON.parse(json), at, JSON.parse(value)));
      }),
      { numRuns: 300 },
    );
  });

  it("leaves every character around the member as it is", () => {
    const json = Json.ofText('{ "n" : 1.0, "big":18446744073709551615 , "at" :{"x" : 1e3,"y":null} , "z":[ ] }');
    assert.deepEqual(
      [
        withMember(json, ["at", "y"], Json.of(true)).text,
        withMember(json, ["at", "new"], Json.of(1)).text,
        withMember(json, ["big"], Json.of("gone")).text,
        withMember(Json.ofText("{ }"), ["a"], Json.of(1)).text,
      ],
      [
        '{ "n" : 1.0, "big":18446744073709551615 , "at" :{"x" : 1e3,"y":true} , "z":[ ] }',
        '{ "n" : 1.0, "big":18446744073709551615 , "at" :{"new":1,"x" : 1e3,"y":null} , "z":[ ] }',
        '{ "n" : 1.0, "big":"gone" , "at" :{"x" : 1e3,"y":null} , "z":[ ] }',
        '{"a":1 }',
      ],
    );
  });
});

/** Reference implementation of {@link withoutMember} for parsed values. */
function unset(value: unknown, [first = "", ...rest]: readonly string[]): unknown {
  if (!isObject(value) || !Object.hasOwn(value, first)) return value;
  const { [first]: old, ...others } = value;
  if (rest.length === 0) return others;
  const next = unset(old, rest);
  if (JSON.stringify(next) === JSON.stringify(old)) return value;
  return isObject(next) && Object.keys(next).length === 0 ? others : { ...value, [first]: next };
}

describe("withoutMember", () => {
  it("does to the text what deleting does to the value, and drops what is empty then", () => {
    const names = fc.constantFrom("a", "b", "c");
    const path3 = fc
      .array(names, { minLength: 1, maxLength: 3 })
      .map(([first = "a", ...rest]): [string, ...string[]] => [first, ...rest]);
    const distinct = fc.letrec<{ object: unknown }>((tie) => ({
      object: fc.dictionary(names, fc.oneof(fc.integer(), fc.constant("},{"), tie("object")), { depthIdentifier: "o" }),
    })).object;
    const spaced = fc
      .tuple(distinct, fc.constantFrom(0, 2))
      .map(([value, space]) => JSON.stringify(value, null, space));
    fc.assert(
      fc.property(spaced, path3, (json, at) => {
        const edited = withoutMember(Json.ofText(json), at);
        assert.deepEqual(JSON.parse(edited.text), unset(JSON.parse(json), at));
      }),
      { numRuns: 500 },
    );
  });

  it("leaves every character around the member as it is", () => {
    const json = Json.ofText('{ "n" : 1.0, "at" :{"x" : 1e3,"y":null} , "big":18446744073709551615 }');
    assert.deepEqual(
      [
        withoutMember(json, ["at", "x"]).text,
        withoutMember(json, ["n"]).text,
        withoutMember(json, ["big"]).text,
        withoutMember(Json.ofText('{"a":1,"b":2,"a":3}'), ["a"]).text,
        withoutMember(Json.ofText('{"n":1,"_meta":{"s":{"o":1}}}'), ["_meta", "s", "o"]).text,
        withoutMember(json, ["at", "z"]) === json,
      ],
      [
        '{ "n" : 1.0, "at" :{"y":null} , "big":18446744073709551615 }',
        '{"at" :{"x" : 1e3,"y":null} , "big":18446744073709551615 }',
        '{ "n" : 1.0, "at" :{"x" : 1e3,"y":null} }',
        '{"b":2}',
        '{"n":1}',
        true,
      ],
    );
  });
});

describe("memberOf", () => {
  it("finds what a parser finds, and nothing in what is no object", () => {
    fc.assert(
      fc.property(text, fc.oneof(key, fc.constantFrom("a", "b", "c")), (json, name) => {
        const value: unknown = JSON.parse(json);
        const member = memberOf(Json.ofText(json), name);
        assert.deepEqual(member?.value, isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined);
      }),
    );
  });

  it("keeps the text of the value", () => {
    assert.equal(memberOf(Json.ofText('{"a": 1.0 ,"b":[1 , 2]}'), "a")?.text, "1.0");
  });
});

describe("elementsOf and arrayOf", () => {
  it("take an array apart and put it together without loss", () => {
    fc.assert(
      fc.property(fc.array(jsonText), (elements) => {
        const apart = elementsOf(Json.ofText(` [ ${elements.join(" , ")} ] `));
        assert.deepEqual(
          apart?.map((element) => element.text),
          elements,
        );
        assert.deepEqual(
          arrayOf(apart).value,
          elements.map((element): unknown => JSON.parse(element)),
        );
      }),
    );
  });

  it("says that anything else is no array", () => {
    const texts = ["null", "{}", '"[]"', "1", "", "[", "[1", "[1,", "[1 2]", '["a]'];
    assert.deepEqual(
      texts.map((one) => elementsOf(Json.ofText(one))),
      texts.map(() => undefined),
    );
  });
});
