/** The text of a prompt-tsx tree as JSON: `{node: {type: 1, children: […]}}`, where nodes of type 2 are texts. */
export function promptTsxText(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  const root = memberOf(value, "node");
  if (root === undefined) return undefined;
  const pieces: string[] = [];
  collect(root, pieces);
  return pieces.join("");
}

const textNode = 2;

function collect(node: unknown, pieces: string[]): void {
  if (memberOf(node, "lineBreakBefore") === true && pieces.length > 0) pieces.push("\n");
  const text = memberOf(node, "text");
  if (memberOf(node, "type") === textNode && typeof text === "string") pieces.push(text);
  const children = memberOf(node, "children");
  if (Array.isArray(children)) for (const child of children) collect(child, pieces);
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined;
}
