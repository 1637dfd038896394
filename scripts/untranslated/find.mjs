// Finds texts in the extension's sources that look written for users, but don't go through `l10n.t`.
import { parseSync, visitorKeys } from "oxc-parser";

/** @typedef {{ place: string, line: number, text: string }} Plain `place` is `file#name`, with the nearest named declaration. */

const shownProperties =
  /^(label|description|detail|details|placeHolder|placeholder|prompt|title|tooltip|remedy|hint|ariaLabel|message)$/;
const shownAttributes =
  /\s(?:aria-(?:label|description|placeholder|roledescription)|title|placeholder|alt|label)="([^"]*)"/g;
const shownCalls = /\.(?:show(?:Information|Warning|Error)Message|showQuickPick|setStatusBarMessage)$/;
const ignoredCalls =
  /(?:^|\.)l10n\.t$|(?:[lL]og|[lL]ogger)(?:\(\))?\??\.\w+$|^coreLogger$|\.(?:unreadable|#failed)$|\.(?:debug|warn|trace)$|^RpcError\.\w+$|(?:^|\.)(?:querySelector(?:All)?|closest|matches|matchMedia|executeCommand)$/;
/** Errors without `l10n.t` are for developers, agents and the log. */
const ignoredClasses = /^(?:Error|TypeError|RangeError|RegExp|RequestFailure)$/;
const ignoredNodes = /^(?:Import|ExportAll|TSType|TSInterface|TSLiteral|TSUnion|TSImport|TSEnum)/;
const word = String.raw`\p{L}[\p{L}'’-]*`;
const sentence = new RegExp(`(?:^|[\\s("{])${word}[,:;.]? (?:${word}|\\{\\})|(?:\\{\\}|\\d),? ${word}`, "u");
const label = /^\p{Lu}\p{Ll}+[….:?!]*$/u;
const letters = /\p{L}{2,}/u;

/**
 * Returns a message for each plain text outside the places in `origins`, and for each place that has none.
 * @param {ReadonlyMap<string, string>} texts Sources by path.
 * @param {Readonly<Record<string, readonly string[]>>} origins Places by reason: folders, files or `file#declaration`.
 */
export function untranslated(texts, origins) {
  const places = Object.values(origins).flat();
  const covers = (place, found) =>
    place === found || (place.endsWith("/") ? found.startsWith(place) : found.startsWith(`${place}#`));
  const found = plainTexts(texts);
  const wrong = found.filter((one) => !places.some((place) => covers(place, one.place)));
  const stale = places.filter((place) => !found.some((one) => covers(place, one.place)));
  return [
    ...wrong.map(({ place, line, text }) => `${place}:${line}: "${text.replaceAll(/\s+/g, " ").trim()}"`),
    ...stale.map((place) => `${place}: no plain text, remove it from the origins`),
  ];
}

/** @returns {Plain[]} */
function plainTexts(texts) {
  const programs = [...texts].map(([file, text]) => [file, text, parseSync(file, text).program]);
  const names = new Set(programs.flatMap(([, , program]) => namesIn(program)));
  return programs.flatMap(([file, source, program]) => {
    const found = [];
    visit(program, (node, ancestors) => {
      if (isIgnored(node, ancestors, source)) return false;
      const text = shownText(node, ancestors, source, names);
      if (text !== undefined)
        found.push({ place: `${file}#${nameAround(ancestors)}`, line: lineOf(source, node.start), text });
      return true;
    });
    return found;
  });
}

/** Returns the values of string types and comparisons, such as `"not kept"`: they are names in code. */
function namesIn(program) {
  const names = [];
  visit(program, (node, ancestors) => {
    const parent = ancestors.at(-1);
    const isCompared = parent?.type === "BinaryExpression" && /^[=!]==$/.test(parent.operator);
    const isCase = parent?.type === "SwitchCase" && parent.test === node;
    const isName = isCompared || isCase || parent?.type === "TSLiteralType";
    if (node.type === "Literal" && typeof node.value === "string" && isName) names.push(node.value);
    return true;
  });
  return names;
}

function isIgnored(node, ancestors, source) {
  const parent = ancestors.at(-1);
  const written = ({ start, end }) => source.slice(start, end).replaceAll(/\s+/g, "");
  if (ignoredNodes.test(node.type)) return true;
  if (node.type === "CallExpression") return ignoredCalls.test(written(node.callee));
  if (node.type === "NewExpression") return ignoredClasses.test(written(node.callee));
  if (node.type === "TaggedTemplateExpression") return written(node.tag) === "css";
  return (
    (parent?.type === "Property" && parent.key === node) ||
    (parent?.type === "MemberExpression" && parent.computed && parent.property === node)
  );
}

/** Returns the text that a string or template may show, undefined for names and code. */
function shownText(node, ancestors, source, names) {
  if (node.type === "TemplateLiteral") {
    const text = node.quasis
      .map(({ value }) => value.cooked ?? value.raw)
      .join("{}")
      .replaceAll(/\$\([\w-]+\)/g, "");
    if (/<\/?[a-z][^>]*>/.test(text)) return markupText(text);
    return isShown(text, ancestors, source) ? text : undefined;
  }
  if (node.type !== "Literal" || typeof node.value !== "string" || names.has(node.value)) return undefined;
  return isShown(node.value, ancestors, source) ? node.value : undefined;
}

/** Returns the first text node or shown attribute that has letters. */
function markupText(markup) {
  const visible = markup.replaceAll(/<!--.*?-->|<style.*?<\/style>/gs, "");
  const attributes = [...visible.matchAll(shownAttributes)].map(([, value]) => value);
  const nodes = visible.replaceAll(/<!?\/?[a-z][^>]*>/gi, "\n").split("\n");
  return [...attributes, ...nodes].map((one) => one.trim()).find((one) => letters.test(one.replaceAll(/&\w+;/g, "")));
}

function isShown(text, ancestors, source) {
  return sentence.test(text) || label.test(text) || (letters.test(text) && isInShownPlace(ancestors, source));
}

/** Returns true for what a property, a dialog or markup shows. */
function isInShownPlace(ancestors, source) {
  const at = ancestors.findLastIndex(
    ({ type }) => !/^(?:Conditional|Logical|Parenthesized|Array)Expression$/.test(type),
  );
  const [tag, parent] = ancestors.slice(at - 1, at + 1);
  if (tag?.type === "TaggedTemplateExpression") {
    const before =
      parent.quasis.findLast(({ end }) => end <= (ancestors[at + 1] ?? ancestors[at]).start)?.value.raw ?? "";
    return before.lastIndexOf(">") > before.lastIndexOf("<");
  }
  if (parent?.type === "Property") return shownProperties.test(parent.key.name ?? "");
  if (parent?.type === "AssignmentExpression") return shownProperties.test(parent.left.property?.name ?? "");
  return parent?.type === "CallExpression" && shownCalls.test(source.slice(parent.callee.start, parent.callee.end));
}

function nameAround(ancestors) {
  const named = (one) =>
    (one.type === "PropertyDefinition" || one.type === "MethodDefinition" ? one.key : one.id)?.name;
  return ancestors.map(named).findLast((name) => name !== undefined) ?? "";
}

function lineOf(source, at) {
  return source.slice(0, at).split("\n").length;
}

/** Calls `see` with each node and its ancestors, the nearest last; leaves out the children where `see` returns false. */
function visit(node, see, ancestors = []) {
  if (!see(node, ancestors)) return;
  ancestors.push(node);
  for (const key of visitorKeys[node.type] ?? []) {
    for (const child of [node[key]].flat()) if (child) visit(child, see, ancestors);
  }
  ancestors.pop();
}
