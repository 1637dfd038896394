import { attempt } from "../../base/attempt.js";
import { asObject } from "../../base/rpc/json.js";
import type { FrontMatter } from "../rule-scope.js";

interface MarkdownFile {
  readonly matter: FrontMatter;
  readonly body: string;
}

/**
 * Splits Markdown into front matter and body. Parses invalid YAML line by line, since people write `globs: *.ts` and `description: Use
 * this: always` without quotes.
 */
export async function readMarkdown(text: string): Promise<MarkdownFile> {
  const [whole, yaml] = /^---[ \t]*\r?\n([\s\S]*?)(?:^|\r?\n)---[ \t]*(?:\r?\n|$)/.exec(text) ?? [];
  if (whole === undefined || yaml === undefined) return { matter: {}, body: text };
  const body = text.slice(whole.length);
  const { parseDocument } = await import("yaml");
  const document = parseDocument(yaml, { logLevel: "silent" });
  const value = document.errors.length === 0 ? valueOf(document) : undefined;
  return { matter: asObject(value) ?? readLines(yaml), body };
}

/** Converts a YAML document to a value. Returns undefined if `toJS` throws, for example for an alias such as an unquoted `*.ts`. */
function valueOf(document: { toJS(options: { readonly maxAliasCount: number }): unknown }): unknown {
  return attempt(() => document.toJS({ maxAliasCount: 0 }));
}

/** Reads top-level lines of the form `key: text`, split at the first colon, and lists below a key. */
function readLines(yaml: string): FrontMatter {
  const members: Record<string, unknown> = {};
  let key = "";
  for (const line of yaml.split(/\r?\n/)) {
    const [, name, value = ""] = /^([\w-]+):(.*)$/.exec(line) ?? [];
    const [, item] = /^-\s(.*)$/.exec(line.trimStart()) ?? [];
    if (name !== undefined) {
      key = name;
      members[key] = plain(value);
    } else if (item !== undefined && key !== "") {
      const list: unknown = members[key];
      members[key] = [...(Array.isArray(list) ? (list as readonly unknown[]) : []), plain(item)];
    }
  }
  return members;
}

function plain(text: string): unknown {
  const value = text.trim();
  if (value === "true" || value === "false") return value === "true";
  return value.replace(/^(["'])(.*)\1$/, "$2");
}
