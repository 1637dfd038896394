import MarkdownIt from "markdown-it";
import { linkedFile, fileReference, findFileReferences } from "./file-reference.js";

type Markdown = InstanceType<typeof MarkdownIt>;
type Token = ReturnType<Markdown["parse"]>[number];

const webAddress = /^(?:https?:\/\/|mailto:)/iu;
const inlineImage = /^data:image\/(?:png|jpe?g|gif|webp);base64,/iu;
/** Headings in an answer are below the turn's heading. Since agents skip levels, all become h3. */
const headingTag = "h3";
const inLink: Record<string, unknown> = { isInLink: true };

const markdown = create();

/**
 * Renders Markdown to HTML. Raw HTML is escaped; links lead to the web or, through `data-path` and `data-line`, to files; all other targets
 * stay text. Loads nothing.
 */
export function markdownToHtml(text: string): string {
  return markdown.render(text);
}

function create(): Markdown {
  const it = new MarkdownIt({ html: false, linkify: true, breaks: false, typographer: false });
  it.linkify.set({ fuzzyLink: false, fuzzyEmail: false });
  it.validateLink = (url) => webAddress.test(url) || inlineImage.test(url) || linkedFile(url) !== undefined;
  it.core.ruler.push("symposium", ({ tokens }) => {
    let depth = 0;
    for (const token of tokens) {
      if (/^(?:blockquote|list_item)_close$/u.test(token.type)) depth -= 1;
      prepareBlock(token, depth > 0);
      if (/^(?:blockquote|list_item)_open$/u.test(token.type)) depth += 1;
    }
    for (const [at, token] of tokens.entries()) {
      if (token.type !== "inline") continue;
      if (tokens[at - 2]?.type === "list_item_open") makeTask(token, tokens[at - 2]);
      if (token.children) token.children = linkFiles(token.children);
    }
  });
  const { rules } = it.renderer;
  rules["code_inline"] = (tokens, at) => {
    const content = tokens[at]?.content ?? "";
    const attributes = isInLink(tokens[at]) ? "" : referenceAttributes(fileReference(content));
    return `<code${attributes}>${escapeHtml(content)}</code>`;
  };
  rules["image"] = (tokens, at) => {
    const token = tokens[at];
    const source = attribute(token, "src");
    const label = escapeHtml(token?.content ?? "");
    if (inlineImage.test(source)) return `<img src="${escapeHtml(source)}" alt="${label}">`;
    const text = label === "" ? escapeHtml(source) : label;
    // Loading a web image would reveal to its server that the user is reading the answer.
    return isInLink(token) ? text : `<a${targetAttributes(source)}>${text}</a>`;
  };
  rules["link_open"] = (tokens, at) => {
    const token = tokens[at];
    const title = attribute(token, "title");
    const titled = title === "" ? "" : ` title="${escapeHtml(title)}"`;
    return `<a${targetAttributes(attribute(token, "href"))}${titled}>`;
  };
  rules["fence"] = (tokens, at) => {
    const { info, content } = tokens[at] ?? { info: "", content: "" };
    return codeBlockHtml(info.trim().split(/[\s,{]/u)[0] ?? "", content);
  };
  rules["code_block"] = (tokens, at) => codeBlockHtml("", tokens[at]?.content ?? "");
  return it;
}

export function codeBlockHtml(language: string, code: string): string {
  const name = language === "" ? "" : ` class="language-${escapeHtml(language)}"`;
  return `<pre><code${name}>${escapeHtml(code)}</code></pre>\n`;
}

/**
 * Sets the text direction of blocks. Text without a direction of its own takes the direction of the surrounding list or quotation;
 * `isInside` is true for a token in a list or quotation.
 */
function prepareBlock(token: Token, isInside: boolean): void {
  switch (token.type) {
    case "heading_open":
    case "heading_close": {
      const level = Number(token.tag.slice(1));
      if (token.type === "heading_open") {
        token.attrSet("class", `heading-${level}`);
        token.attrSet("dir", "auto");
      }
      token.tag = headingTag;
      return;
    }
    case "th_open":
    case "td_open": {
      const align = /text-align:(\w+)/u.exec(attribute(token, "style"))?.[1];
      token.attrs = [["dir", "auto"]];
      // The page's content security policy forbids inline styles.
      if (align !== undefined) token.attrSet("class", `align-${align}`);
      return;
    }
    case "paragraph_open":
      if (!isInside) token.attrSet("dir", "auto");
      return;
    case "bullet_list_open":
    case "ordered_list_open":
    case "blockquote_open":
      token.attrSet("dir", "auto");
      return;
    default:
  }
}

/** Replaces the box of `- [x] done` with a mark that has a name for screen readers. */
function makeTask(inline: Token, item: Token | undefined): void {
  const first = inline.children?.[0];
  const match = /^\[(?<mark>[ xX])\][ \t]+/u.exec(first?.content ?? "");
  if (first?.type !== "text" || match === null || item === undefined) return;
  const isDone = match.groups?.["mark"] !== " ";
  first.content = first.content.slice(match[0].length);
  item.attrSet("class", isDone ? "task is-done" : "task");
}

function linkFiles(tokens: Token[]): Token[] {
  let depth = 0;
  return tokens.flatMap((token) => {
    if (token.type === "link_open") depth += 1;
    if (token.type === "link_close") depth -= 1;
    if (depth > 0) token.meta = inLink;
    if (depth > 0 || token.type !== "text" || token.content.length > 20_000) return [token];
    const found = findFileReferences(token.content);
    if (found.length === 0) return [token];
    const parts: Token[] = [];
    let from = 0;
    const add = (type: string, content: string, attrs?: [string, string][]): void => {
      const part: Token = Object.assign(Object.create(Object.getPrototypeOf(token) as object) as Token, token);
      const nesting = type === "link_open" ? 1 : type === "link_close" ? -1 : 0;
      parts.push(Object.assign(part, { type, content, nesting, tag: nesting === 0 ? "" : "a", attrs: attrs ?? null }));
    };
    for (const { start, end, reference } of found) {
      add("text", token.content.slice(from, start));
      add("link_open", "", [["href", reference.path + (reference.line === undefined ? "" : `:${reference.line}`)]]);
      add("text", token.content.slice(start, end));
      add("link_close", "");
      from = end;
    }
    add("text", token.content.slice(from));
    return parts;
  });
}

function isInLink(token: Token | undefined): boolean {
  return token?.meta === inLink;
}

function attribute(token: Token | undefined, name: string): string {
  return String(token?.attrGet(name) ?? "");
}

function targetAttributes(href: string): string {
  if (webAddress.test(href)) return ` href="${escapeHtml(href)}"`;
  return referenceAttributes(linkedFile(href));
}

function referenceAttributes(reference: ReturnType<typeof linkedFile>): string {
  if (reference === undefined) return "";
  const line = reference.line === undefined ? "" : ` data-line="${reference.line}"`;
  return ` class="file" data-path="${escapeHtml(reference.path)}"${line}`;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/gu, (character) => `&#${character.codePointAt(0) ?? 0};`);
}
