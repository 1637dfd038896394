import { z } from "zod";
import { messageOf } from "../../base/symposium-error.js";
import { asObject } from "../../base/rpc/json.js";
import { invalidRequest } from "./error-response.js";

/** Answer format that a client requests. */
export interface AnswerFormat {
  /** Instruction to the agent for this format. */
  readonly instruction: string;
  read(text: string): { readonly json: string } | { readonly problem: string };
}

const fence = /^```(?:json)?\n([\s\S]*?)\n```$/;

/**
 * Reads a `json_object` or `json_schema` format; undefined for text. `name` is the request's member; the schema is in `json_schema` or in
 * the format itself. Throws an `ErrorResponse` for other formats and unsupported schemas.
 */
export function answerFormat(format: unknown, name: string): AnswerFormat | undefined {
  const { type = "text", ...members } = asObject(format) ?? {};
  if (type === "text") return undefined;
  if (type === "json_object") {
    return formatOf(z.record(z.string(), z.unknown()), "Answer with one JSON object and nothing else.");
  }
  if (type !== "json_schema") throw invalidRequest(name, 'must be "text", "json_object" or "json_schema".');
  const schema = asObject((asObject(members["json_schema"]) ?? members)["schema"]);
  if (!schema) throw invalidRequest(name, "its schema is missing.");
  const text = JSON.stringify(schema);
  return formatOf(checkOf(schema, name), `Answer with JSON that fits this JSON Schema and nothing else:\n${text}`);
}

function checkOf(schema: Readonly<Record<string, unknown>>, name: string): z.ZodType {
  try {
    return z.fromJSONSchema(schema);
  } catch (failure) {
    throw invalidRequest(name, `answers can't be checked against its schema: ${messageOf(failure)}`);
  }
}

function formatOf(check: z.ZodType, instruction: string): AnswerFormat {
  return {
    instruction,
    read(text) {
      const trimmed = text.trim();
      const json = fence.exec(trimmed)?.[1] ?? trimmed;
      let value: unknown;
      try {
        value = JSON.parse(json);
      } catch (failure) {
        return { problem: `It isn't pure JSON: ${messageOf(failure)}` };
      }
      const { error } = check.safeParse(value);
      return error ? { problem: z.prettifyError(error) } : { json };
    },
  };
}
