import type { ModelTool } from "../tool-list.js";
import { asObject, type Members } from "../../base/rpc/json.js";
import { invalidRequest } from "./error-response.js";

/** Location of a function's description: the tool's member `function`, or the tool itself. */
type ToolForm = "nested" | "flat";

/**
 * Returns the client's functions that the agent may call; empty for the choice `none`. Throws an `ErrorResponse` for other tool types and
 * for choices that can't be enforced.
 */
export function requestTools({ tools, tool_choice: choice }: Members, form: ToolForm): readonly ModelTool[] {
  const functions = choice === "none" ? [] : clientTools(tools, form);
  const isForced = choice !== undefined && choice !== null && choice !== "auto" && choice !== "none";
  if (isForced) throw invalidRequest("tool_choice", 'must be "auto" or "none".');
  return functions;
}

function clientTools(value: unknown, form: ToolForm): readonly ModelTool[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw invalidRequest("tools", "must be a list.");
  const tools = value.map((item: unknown, index) => clientTool(item, form, `tools[${index}]`));
  const repeated = tools.find(({ name }, index) => tools.findIndex((tool) => tool.name === name) !== index);
  if (repeated) throw invalidRequest("tools", `two tools are named "${repeated.name}".`);
  return tools;
}

function clientTool(value: unknown, form: ToolForm, where: string): ModelTool {
  const tool = asObject(value);
  const called = form === "flat" ? tool : asObject(tool?.["function"]);
  if (tool?.["type"] !== "function" || !called) throw invalidRequest(where, 'must be a tool of type "function".');
  const { name, description, parameters } = called;
  if (typeof name !== "string" || !/^[\w-]{1,64}$/.test(name)) {
    const member = form === "flat" ? "name" : "function.name";
    throw invalidRequest(`${where}.${member}`, "must be 1 to 64 letters, digits, _ or -.");
  }
  return {
    name,
    ...(typeof description === "string" && { description }),
    ...(parameters !== undefined && { inputSchema: parameters }),
  };
}
