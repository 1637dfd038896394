import { agentActionTool, type LmTool } from "@symposium-dev/core";

/** Tool schemas that editors and their extensions send. Tools use them in this order. */
const schemaShapes: readonly (readonly [name: string, schema: unknown])[] = [
  ["plain", { type: "object", properties: { text: { type: "string" } }, required: ["text"] }],
  ["missing", undefined],
  ["empty", {}],
  ["null", null],
  ["untyped", { properties: { text: { type: "string" } }, required: ["text"] }],
  ["any_of", { anyOf: [{ type: "object", properties: { a: { type: "string" } } }, { type: "object" }] }],
  ["one_of", { type: "object", oneOf: [{ required: ["a"] }, { required: ["b"] }], properties: { a: {}, b: {} } }],
  ["all_of", { allOf: [{ type: "object", properties: { a: { type: "number" } } }, { required: ["a"] }] }],
  ["two_types", { type: ["object", "null"], properties: { text: { type: ["string", "null"] } } }],
  ["boolean", true],
  ["not_an_object", { type: "string" }],
  ["not_a_schema", "text"],
  ["dialect", { $schema: "http://json-schema.org/draft-07/schema#", type: "object", additionalProperties: false }],
  [
    "recursive",
    {
      $ref: "#/$defs/node",
      $defs: { node: { type: "object", properties: { next: { $ref: "#/$defs/node" } } } },
    },
  ],
  ["nested", nested(12)],
  ["huge", { type: "object", properties: Object.fromEntries(Array.from({ length: 300 }, hugeProperty)) }],
];

/** Tools that the tests call. The schemas of the other tools vary. */
const shout: LmTool = {
  name: "shout",
  description: "Returns the text in capitals.",
  inputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
};
const whisper: LmTool = { ...shout, name: "whisper", description: "Returns the text in small letters." };

/** The tool by which our extension asks for what the agent wants to do itself, as editors offer it. */
export const actionTool: LmTool = {
  name: agentActionTool,
  description: "Asks the user before the agent acts.",
  inputSchema: {
    type: "object",
    properties: { title: { type: "string" }, kind: { type: "string" }, raw_input: {} },
    required: ["title"],
  },
};

/** As many tools, of every shape of schema; `shout` and `whisper` are the last two, where there is room for them. */
export function editorTools(count: number): readonly LmTool[] {
  const called = [whisper, shout].slice(-count);
  const others = Array.from({ length: count - called.length }, (_, index) => otherTool(index));
  return [...others, ...called];
}

/** Returns the result of `shout` or `whisper`; other tools only confirm that they ran. */
export function runEditorTool(name: string, input: unknown): string {
  const text = typeof input === "object" && input !== null && "text" in input ? String(input.text) : "";
  if (name === shout.name) return text.toUpperCase();
  return name === whisper.name ? text.toLowerCase() : `${name} has run.`;
}

function otherTool(index: number): LmTool {
  const [shape, inputSchema] = schemaShapes[index % schemaShapes.length] ?? ["plain", undefined];
  const tool = { name: `editor_${shape}_${index}`, description: `Does the thing number ${index} of the editor.` };
  return inputSchema === undefined ? tool : { ...tool, inputSchema };
}

function nested(depth: number): unknown {
  if (depth === 0) return { type: "string", description: "The innermost one." };
  return { type: "object", properties: { inner: nested(depth - 1) }, required: ["inner"] };
}

function hugeProperty(_: unknown, index: number): readonly [string, unknown] {
  return [`property_${index}`, { type: "string", description: `What property ${index} is for. `.repeat(4) }];
}
