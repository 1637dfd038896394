import * as z from "zod/mini";
import { isSecretField } from "../../../protocol/elicitation-secrets.js";

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
      /** True if the input must be masked. */
      readonly isSecret: boolean;
      readonly initial: string;
    }
  | { readonly type: "number"; readonly initial: string }
  | { readonly type: "boolean"; readonly initial: boolean }
  | { readonly type: "choice"; readonly choices: readonly FieldChoice[]; readonly initial: string }
  | { readonly type: "choices"; readonly choices: readonly FieldChoice[]; readonly initial: readonly string[] }
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
  const { description = "", format } = property;
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
        isSecret,
        initial: format === "date-time" ? toLocal(text) : text,
      };
    }
    case "number":
    case "integer":
      return { ...base, type: "number", initial: typeof initial === "number" ? `${initial}` : "" };
    case "boolean":
      return { ...base, type: "boolean", initial: initial === true };
    case "array": {
      const choices = choicesOf({ enum: property.items?.enum, oneOf: property.items?.anyOf });
      if (choices === undefined) break;
      const chosen = z.array(z.string()).safeParse(initial).data ?? [];
      return { ...base, type: "choices", choices, initial: chosen };
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

/** Returns the answers to send; the extension checks them. Omits questions without an answer. */
export function toAnswer(fields: readonly Field[], values: FormValues): Record<string, unknown> {
  const answered = fields.flatMap((field): [string, unknown][] => {
    const value = valueOf(field, values);
    return isBlank(value) ? [] : [[field.name, toContent(field, value)]];
  });
  return Object.fromEntries(answered);
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

/** Converts a value to its JSON form; returns an unreadable number or time as written. */
function toContent(field: Field, value: string | boolean | readonly string[]): unknown {
  if (typeof value !== "string") return value;
  if (field.type === "number") return Number.isFinite(Number(value)) ? Number(value) : value;
  if (field.type === "text" && field.format === "date-time")
    return Number.isNaN(Date.parse(value)) ? value : new Date(value).toISOString();
  if (field.type !== "json") return value;
  try {
    const parsed: unknown = JSON.parse(value);
    return parsed;
  } catch {
    return value;
  }
}
