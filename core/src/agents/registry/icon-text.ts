/** An icon of a registry is a few lines. */
export const maxIconBytes = 16 * 1024;

/** What a picture in one colour has no use for: programs, other documents, styles and entities. */
const forbidden =
  /<\s*(?:script|foreignObject|image|use|a|style|iframe|animate|set)\b|<!|\b(?:href|src|style|class)\s*=|\bon\w+\s*=|url\s*\(|javascript:|data:/i;
const colour = /\b(?:fill|stroke|color|stop-color)\s*=\s*["']\s*([^"']*?)\s*["']/gi;
const allowedColours: readonly string[] = ["currentcolor", "none", "inherit"];

/**
 * An SVG icon as registries demand it, of shapes in `currentColor` alone, trimmed; undefined for anything else. It is
 * shown as a picture only, in which nothing runs; this keeps out what does not look like an icon at all.
 */
export function readIcon(text: string): string | undefined {
  const svg = text.replace(/^\uFEFF?\s*(?:<\?xml[^>]*\?>)?\s*/, "").trim();
  if (svg.length > maxIconBytes || !/^<svg[\s>]/.test(svg) || !svg.endsWith("</svg>") || forbidden.test(svg))
    return undefined;
  const colours = [...svg.matchAll(colour)].map(([, value = ""]) => value.toLowerCase());
  const isMonochrome = colours.includes("currentcolor") && colours.every((value) => allowedColours.includes(value));
  return isMonochrome ? svg : undefined;
}
