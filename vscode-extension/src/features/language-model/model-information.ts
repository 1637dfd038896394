import type { InformationResult, ModelInformation } from "@symposium-dev/core";
import * as z from "zod/mini";

const modelSchema = z.looseObject({
  id: z.string().check(z.minLength(1)),
  name: z.string(),
  family: z.string(),
  version: z.string(),
  maxInputTokens: z.number().check(z.positive()),
  maxOutputTokens: z.number().check(z.positive()),
  tooltip: z.optional(z.string()),
  detail: z.optional(z.string()),
  capabilities: z.object({ toolCalling: z.union([z.boolean(), z.number()]), imageInput: z.boolean() }),
  agentId: z.string(),
  configOptions: z.optional(z.record(z.string(), z.string())),
});
const problemSchema = z.object({ agentId: z.string(), message: z.string() });

/** Models from outside: of the process, or remembered by an earlier version. Those that cannot be read are left out. */
export function readModels(value: unknown): ModelInformation[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((model: unknown) => {
    const { success, data } = modelSchema.safeParse(model);
    return success ? [data as ModelInformation] : [];
  });
}

/** The answer of the process, tolerantly. */
export function readInformation(value: unknown): InformationResult {
  const { models, problems } = (value ?? {}) as Readonly<Record<string, unknown>>;
  const read = z.array(problemSchema).safeParse(problems);
  return { models: readModels(models), ...(read.success ? { problems: read.data } : {}) };
}
