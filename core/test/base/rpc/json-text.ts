import fc from "fast-check";

/** JSON white space that may stand inside one line. */
const space = fc.constantFrom("", "", "", " ", "\t", "  ", " \t ", "\r");

const numberText = fc.oneof(
  fc.integer().map(String),
  fc.constantFrom("18446744073709551615", "-9223372036854775808", "1.0", "-0", "1E3", "0.10", "1e-7", "2.50E+10"),
);

function escapedText(text: string): string {
  const units = Array.from({ length: text.length }, (_, index) => text.charCodeAt(index));
  return `"${units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("")}"`;
}

/** A string in JSON: as usual, or every unit of it escaped. */
export function stringText(value: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc
    .tuple(value, fc.integer({ min: 0, max: 4 }))
    .map(([text, style]) => (style === 0 ? escapedText(text) : JSON.stringify(text)));
}

const anyString = stringText(
  fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom('"', "\\", '\\"', "}{][,:", "é😀\u2028")),
);

/**
 * A name that every parser reads right. After an object with a member named `\\`, `JSON.parse` of Node 24 takes
 * other names that are written with escapes for that name.
 */
export const nameString = fc.string({ unit: "binary" }).filter((name) => !name.includes("\\"));

/** Text of any JSON value: spellings of numbers and strings that no serialiser would choose, and white space anywhere. */
export const jsonText: fc.Arbitrary<string> = fc.letrec<{ value: string; array: string; object: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.constantFrom("null", "true", "false"),
    numberText,
    anyString,
    tie("array"),
    tie("object"),
  ),
  array: fc
    .tuple(
      fc.array(
        fc.tuple(space, tie("value"), space).map((parts) => parts.join("")),
        { maxLength: 4 },
      ),
      space,
    )
    .map(([elements, inner]) => (elements.length === 0 ? `[${inner}]` : `[${elements.join(",")}]`)),
  object: fc
    .tuple(
      fc.array(fc.tuple(space, stringText(nameString), space, fc.constant(":"), space, tie("value"), space), {
        maxLength: 4,
      }),
      space,
    )
    .map(([members, inner]) =>
      members.length === 0 ? `{${inner}}` : `{${members.map((parts) => parts.join("")).join(",")}}`,
    ),
})).value;

/** Text of an id that a peer may use. */
export const idText: fc.Arbitrary<string> = fc.oneof(numberText, anyString, fc.constant("null"));

/** One member of an object as text: its name and the text of its value. */
export interface MemberText {
  readonly name: string;
  readonly value: string;
}

/** Text of an object with exactly these members, in any order, with any spelling of the names and any white space. */
export function objectText(members: readonly fc.Arbitrary<MemberText>[]): fc.Arbitrary<string> {
  const written = members.map((member) =>
    member.chain(({ name, value }) =>
      fc
        .tuple(space, stringText(fc.constant(name)), space, space, space)
        .map(
          ([before, key, afterKey, beforeValue, after]) => `${before}${key}${afterKey}:${beforeValue}${value}${after}`,
        ),
    ),
  );
  return fc
    .tuple(fc.tuple(...written), space, space)
    .chain(([parts, before, after]) =>
      fc.shuffledSubarray(parts, { minLength: parts.length }).map((order) => `${before}{${order.join(",")}}${after}`),
    );
}

/** Text with one to three of its places changed, removed or doubled, or with its end cut off. */
export function mutated(text: string): fc.Arbitrary<string> {
  const place = fc.nat({ max: Math.max(0, text.length - 1) });
  const change = fc.record({
    at: place,
    kind: fc.constantFrom("delete", "insert", "replace", "cut"),
    by: fc.constantFrom('"', "\\", "{", "}", "[", "]", ":", ",", "0", "x", " ", "\u0000", "\ud800"),
  });
  return fc.array(change, { minLength: 1, maxLength: 3 }).map((changes) => {
    let result = text;
    for (const { at, kind, by } of changes) {
      const head = result.slice(0, at);
      if (kind === "cut") result = head;
      else result = head + (kind === "delete" ? "" : by) + result.slice(kind === "insert" ? at : at + 1);
    }
    return result;
  });
}
