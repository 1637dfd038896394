import { SymposiumError } from "../../../base/symposium-error.js";
import { argumentProblems, type JsonSchema } from "../../../base/mcp/argument-check.js";
import type { Tool } from "../../../base/mcp/tool-server.js";
import type { IdeOperationName } from "../../../base/ide-operations/wire.js";
import type { IdeCall, IdeSession } from "../ide-call.js";

/** A tool as its file describes it. */
export interface IdeToolEntry {
  readonly name: string;
  readonly description: string;
  /** The tool is left out where one of these is not supported. */
  readonly needs: readonly IdeOperationName[];
  readonly properties: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  /** It changes files. */
  readonly isWriting?: boolean;
  run(call: IdeCall, args: Arguments, session: IdeSession): Promise<string>;
}

type Values = Readonly<Record<string, unknown>>;

/** The arguments of a call, which fit the schema. */
export class Arguments {
  constructor(private readonly values: Values) {}

  /** Undefined when it is absent or blank. */
  text(name: string): string | undefined {
    const value = this.values[name];
    return typeof value === "string" && value.trim() !== "" ? value : undefined;
  }

  /** Throws `invalid-arguments` when it is blank. */
  required(name: string): string {
    const value = this.text(name);
    if (value !== undefined) return value;
    throw new SymposiumError("invalid-arguments", `${name}: it is empty.`, "Leave nothing empty that is required.");
  }

  /** From 0. */
  offset(): number {
    const value = this.values["offset"];
    return typeof value === "number" ? Math.max(0, value) : 0;
  }

  flag(name: string): boolean {
    return this.values[name] === true;
  }
}

/** What the schemas of several tools have; short, since every session of an agent reads it. */
export const symbolProperty: JsonSchema = { type: "string" };
export const offsetProperty: JsonSchema = { type: "integer" };

/** The tool as the server lists it. */
export function toTool(entry: IdeToolEntry, session: IdeSession): Tool {
  const { name, description, properties, required = [], isWriting = false } = entry;
  return {
    name,
    description,
    inputSchema: { type: "object", properties, ...(required.length > 0 && { required }) },
    annotations: isWriting ? { destructiveHint: true } : { readOnlyHint: true },
    async call(args, context) {
      refuseUnknown(args, properties);
      return session.call(context.signal, (call) => entry.run(call, new Arguments(args), session));
    },
  };
}

/** Said here instead of in each schema, where it would cost every session more than all the rest of some tools. */
function refuseUnknown(args: Values, properties: IdeToolEntry["properties"]): void {
  const [problem] = argumentProblems({ type: "object", properties, additionalProperties: false }, args);
  if (problem !== undefined) throw new SymposiumError("invalid-arguments", problem);
}
