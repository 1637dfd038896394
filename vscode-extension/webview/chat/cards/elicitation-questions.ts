import * as z from "zod/mini";
import { isSecretField } from "../../../protocol/form-secrets.js";

export interface FieldChoice {
  readonly value: string;
  readonly name: string;
  readonly description?: string | undefined;
  /** Plain-text preview of the result of this choice, such as code. */
  readonly preview?: string | undefined;
}

export type Field = {
  readonly name: string;
  readonly label: string;
  readonly description: string;
  readonly isRequired: boolean;
} & (
  | {
      readonly type: "text";
      readonly format: "email" | "uri" | "date" | "date-time" | undefined;
      readonly minLength: number | undefined;
      readonly maxLength: number | undefined;
      readonly pattern: string | undefined;
      /** True if the input must be masked. */
      readonly isSecret: boolean;
      readonly initial: string;
    }
  | {
      readonly type: "number";
      readonly isInteger: boolean;
      readonly minimum: number | undefined;
      readonly maximum: number | undefined;
      readonly initial: string;
    }
  | { readonly type: "boolean"; readonly initial: boolean }
  | { readonly type: "choice"; readonly choices: readonly FieldChoice[]; readonly initial: string }
  | {
      readonly type: "choices";
      readonly choices: readonly FieldChoice[];
      readonly minItems: number | undefined;
      readonly maxItems: number | undefined;
      readonly initial: readonly string[];
    }
  | { readonly type: "json"; readonly initial: string }
);

const optional = <T extends z.ZodMiniType>(type: T) => z.catch(z.optional(type), undefined);
/** Member in which Claude sends a preview of a choice. */
const claudeOption = "_claude/askUserQuestionOption";
const titled = z.object({
  const: z.string(),
  title: z.optional(z.string()),
  description: optional(z.string()),
  _meta: optional(z.looseObject({ [claudeOption]: optional(z.looseObject({ preview: optional(z.string()) })) })),
});
const itemsSchema = z.looseObject({ enum: optional(z.array(z.string())), anyOf: optional(z.array(titled)) });

const propertySchema = z.looseObject({
  type: optional(z.string()),
  title: optional(z.string()),
  description: optional(z.string()),
  default: z.optional(z.unknown()),
  format: optional(z.enum(["email", "uri", "date", "date-time"])),
  minLength: optional(z.number()),
  maxLength: optional(z.number()),
  pattern: optional(z.string()),
  minimum: optional(z.number()),
  maximum: optional(z.number()),
  minItems: optional(z.number()),
  maxItems: optional(z.number()),
  enum: optional(z.array(z.string())),
  enumNames: optional(z.array(z.string())),
  oneOf: optional(z.array(titled)),
  items: optional(itemsSchema),
});
type Property = z.infer<typeof propertySchema>;

const formSchema = z.looseObject({
  properties: z.catch(z.record(z.string(), z.unknown()), {}),
  required: z.catch(z.array(z.string()), []),
});

/**
 * Returns a form's questions from the restricted JSON schema of ACP elicitation, in order. Members of the wrong type are ignored, so that
 * as much of the form as possible can be asked.
 */
export function toFields(schema: unknown): Field[] {
  const form = formSchema.safeParse(schema ?? {}).data;
  if (form === undefined) return [];
  return Object.entries(form.properties).map(([name, value]) => {
    const property = propertySchema.safeParse(value).data ?? {};
    return toField(name, property, form.required.includes(name), isSecretField(value));
  });
}

function toField(name: string, property: Property, isRequired: boolean, isSecret: boolean): Field {
  const { description = "", minimum, maximum, minLength, maxLength, pattern, minItems, maxItems, format } = property;
  const base = { name, label: property.title ?? name, description, isRequired };
  const initial = property.default;
  const text = typeof initial === "string" ? initial : "";
  switch (property.type) {
    case "string": {
      const choices = choicesOf(property);
      if (choices !== undefined) return { ...base, type: "choice", choices, initial: text };
      return {
        ...base,
        type: "text",
        format,
        minLength,
        maxLength,
        pattern,
        isSecret,
        initial: format === "date-time" ? toLocal(text) : text,
      };
    }
    case "number":
    case "integer": {
      const isInteger = property.type === "integer";
      return {
        ...base,
        type: "number",
        isInteger,
        minimum,
        maximum,
        initial: typeof initial === "number" ? `${initial}` : "",
      };
    }
    case "boolean":
      return { ...base, type: "boolean", initial: initial === true };
    case "array": {
      const choices = choicesOf({ enum: property.items?.enum, oneOf: property.items?.anyOf });
      if (choices === undefined) break;
      const chosen = z.array(z.string()).safeParse(initial).data ?? [];
      return { ...base, type: "choices", choices, minItems, maxItems, initial: chosen };
    }
  }
  return { ...base, type: "json", initial: initial === undefined ? "" : JSON.stringify(initial) };
}

function choicesOf(source: Pick<Property, "enum" | "enumNames" | "oneOf">): readonly FieldChoice[] | undefined {
  if (source.oneOf) {
    return source.oneOf.map((one) => {
      const preview = one._meta?.[claudeOption]?.preview;
      const choice = { value: one.const, name: one.title ?? one.const, description: one.description };
      return preview === undefined ? choice : { ...choice, preview };
    });
  }
  return source.enum?.map((value, index) => ({ value, name: source.enumNames?.[index] ?? value }));
}

/** Formats a time for a datetime-local field: local time without a zone, to the minute. */
function toLocal(text: string): string {
  const moment = new Date(text);
  if (Number.isNaN(moment.getTime())) return "";
  return new Date(moment.getTime() - moment.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

export type FormValues = Readonly<Record<string, unknown>>;

type FormAnswer = { readonly content: Record<string, unknown> } | { readonly problems: ReadonlyMap<string, string> };

export function toAnswer(fields: readonly Field[], values: FormValues): FormAnswer {
  const problems = new Map<string, string>();
  const content: Record<string, unknown> = {};
  for (const field of fields) {
    const value = valueOf(field, values);
    const problem = isBlank(value) ? (field.isRequired ? "Please answer this." : undefined) : problemOf(field, value);
    if (problem !== undefined) problems.set(field.name, problem);
    else if (!isBlank(value)) content[field.name] = toContent(field, value);
  }
  return problems.size > 0 ? { problems } : { content };
}

export function valueOf(field: Field, values: FormValues): string | boolean | readonly string[] {
  const value = values[field.name];
  switch (field.type) {
    case "boolean":
      return typeof value === "boolean" ? value : field.initial;
    case "choices":
      return Array.isArray(value) ? value.filter((one) => typeof one === "string") : field.initial;
    default:
      return typeof value === "string" ? value : field.initial;
  }
}

function isBlank(value: string | boolean | readonly string[]): boolean {
  return typeof value === "string" ? value.trim() === "" : typeof value !== "boolean" && value.length === 0;
}

function problemOf(field: Field, value: string | boolean | readonly string[]): string | undefined {
  if (field.type === "choices" && typeof value === "object") {
    const { minItems = 0, maxItems = Infinity } = field;
    if (value.length < minItems) return `Choose at least ${minItems}.`;
    if (value.length > maxItems) return `Choose at most ${maxItems}.`;
  }
  if (typeof value !== "string") return undefined;
  if (field.type === "number") return numberProblem(field, value);
  if (field.type === "text") return textProblem(field, value);
  return undefined;
}

function numberProblem(field: Extract<Field, { type: "number" }>, text: string): string | undefined {
  const value = Number(text);
  const { minimum = -Infinity, maximum = Infinity } = field;
  if (!Number.isFinite(value)) return `“${text}” isn't a number.`;
  if (field.isInteger && !Number.isInteger(value)) return "Enter a whole number.";
  if (value < minimum) return `Enter a number of at least ${minimum}.`;
  if (value > maximum) return `Enter a number no greater than ${maximum}.`;
  return undefined;
}

function textProblem(field: Extract<Field, { type: "text" }>, text: string): string | undefined {
  const { minLength = 0, maxLength = Infinity, pattern } = field;
  // JSON Schema counts characters as code points.
  const { length } = Array.from(text);
  if (length < minLength) return `Enter at least ${minLength} characters.`;
  if (length > maxLength) return `Enter at most ${maxLength} characters, not ${length}.`;
  if (pattern !== undefined && !fits(text, pattern)) return `Enter text that matches the pattern ${pattern}`;
  switch (field.format) {
    case "email":
      return /^[^\s@]+@[^\s@]+$/u.test(text) ? undefined : "Enter an email address.";
    case "uri":
      return URL.canParse(text) ? undefined : "Enter a complete URL, with https:// or another scheme.";
    case "date":
    case "date-time":
      return Number.isNaN(Date.parse(text)) ? "Enter a date." : undefined;
    case undefined:
      return undefined;
  }
}

/** Returns whether the text matches the pattern. An invalid pattern is ignored, because no input could match it. */
function fits(text: string, pattern: string): boolean {
  try {
    return new RegExp(pattern, "u").test(text);
  } catch {
    return true;
  }
}

function toContent(field: Field, value: string | boolean | readonly string[]): unknown {
  if (typeof value !== "string") return value;
  if (field.type === "number") return Number(value);
  if (field.type === "text" && field.format === "date-time") return new Date(value).toISOString();
  if (field.type !== "json") return value;
  try {
    const parsed: unknown = JSON.parse(value);
    return parsed;
  } catch {
    return value;
  }
}
