import type { Field } from "./elicitation-fields.js";

/** What is filled in, by field name: a text, a switch or the values chosen. */
export type FormValues = Readonly<Record<string, unknown>>;

export type FormAnswer =
  | { readonly content: Record<string, unknown> }
  /** What is wrong, by field name, as sentences for the user. */
  | { readonly problems: ReadonlyMap<string, string> };

/** Checks a form and makes the content that is sent. Questions that need no answer and have none are left out. */
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

/** What a field shows: what was filled in, else its default. */
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
  if (!Number.isFinite(value)) return `“${text}” is no number.`;
  if (field.isInteger && !Number.isInteger(value)) return "This has to be a whole number.";
  if (value < minimum) return `This has to be at least ${minimum}.`;
  if (value > maximum) return `This can be at most ${maximum}.`;
  return undefined;
}

function textProblem(field: Extract<Field, { type: "text" }>, text: string): string | undefined {
  const { minLength = 0, maxLength = Infinity, pattern } = field;
  // The schema counts characters as code points.
  const { length } = Array.from(text);
  if (length < minLength) return `This needs at least ${minLength} characters.`;
  if (length > maxLength) return `This can have at most ${maxLength} characters; it has ${length}.`;
  if (pattern !== undefined && !fits(text, pattern)) return `This has to fit the pattern ${pattern}`;
  switch (field.format) {
    case "email":
      return /^[^\s@]+@[^\s@]+$/u.test(text) ? undefined : "This is no e-mail address.";
    case "uri":
      return URL.canParse(text) ? undefined : "This is no address. Write it whole, with https:// or another scheme.";
    case "date":
    case "date-time":
      return Number.isNaN(Date.parse(text)) ? "This is no date." : undefined;
    case undefined:
      return undefined;
  }
}

/** A pattern that is no regular expression is nothing a user could satisfy. */
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
