import { SymposiumError } from "../../../base/symposium-error.js";
import { argumentProblems, type JsonSchema } from "../../../base/mcp/argument-check.js";
import type { Tool } from "../../../base/mcp/tool-server.js";
import type { IdeOperationName } from "../../../base/ide-operations/wire.js";
import type { IdeCall, IdeSession } from "../ide-call.js";

export interface IdeToolEntry {
  readonly name: string;
  readonly description: string;
  /** Required operations. The tool isn't listed if one is unsupported. */
  readonly needs: readonly IdeOperationName[];
  readonly properties: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  /** Whether the tool changes files. */
  readonly isWriting?: boolean;
  run(call: IdeCall, args: Arguments, session: IdeSession): Promise<string>;
}

type Values = Readonly<Record<string, unknown>>;

/** Schema-valid arguments of a call. */
export class Arguments {
  constructor(private readonly values: Values) {}

  /** Returns undefined if the argument is missing or blank. */
  text(name: string): string | undefined {
    const value = this.values[name];
    return typeof value === "string" && value.trim() !== "" ? value : undefined;
  }

  /** Throws `invalid-arguments` if the argument is blank. */
  required(name: string): string {
    const value = this.text(name);
    if (value !== undefined) return value;
    throw new SymposiumError(
      "invalid-arguments",
      `${name}: must not be empty.`,
      "Give a value for each required argument.",
    );
  }

  /** Returns the 0-based offset. */
  offset(): number {
    const value = this.values["offset"];
    return typeof value === "number" ? Math.max(0, value) : 0;
  }

  flag(name: string): boolean {
    return this.values[name] === true;
  }
}

/** Schema parts shared by several tools. Short, since every session of an agent reads them. */
export const symbolProperty: JsonSchema = { type: "string" };
export const offsetProperty: JsonSchema = { type: "integer" };

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

/**
 * Checked here instead of with `additionalProperties` in each schema, which would cost every session more tokens than the rest of some
 * tools.
 */
function refuseUnknown(args: Values, properties: IdeToolEntry["properties"]): void {
  const [problem] = argumentProblems({ type: "object", properties, additionalProperties: false }, args);
  if (problem !== undefined) throw new SymposiumError("invalid-arguments", problem);
}
