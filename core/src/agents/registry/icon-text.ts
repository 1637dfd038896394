/** Maximum icon size in bytes; registry icons have only a few lines. */
export const maxIconBytes = 16 * 1024;

/** Content that a single-color icon doesn't need: scripts, external documents, styles and entities. */
const forbidden =
  /<\s*(?:script|foreignObject|image|use|a|style|iframe|animate|set)\b|<!|\b(?:href|src|style|class)\s*=|\bon\w+\s*=|url\s*\(|javascript:|data:/i;
const colour = /\b(?:fill|stroke|color|stop-color)\s*=\s*["']\s*([^"']*?)\s*["']/gi;
const allowedColours: readonly string[] = ["currentcolor", "none", "inherit"];

/**
 * Returns the SVG icon if it meets the registry's requirements (only shapes in `currentColor`); otherwise undefined. The check rejects
 * files that aren't icons; scripts couldn't run anyway, since icons are shown only as images.
 */
export function readIcon(text: string): string | undefined {
  const svg = text.replace(/^\uFEFF?\s*(?:<\?xml[^>]*\?>)?\s*/, "").trim();
  if (svg.length > maxIconBytes || !/^<svg[\s>]/.test(svg) || !svg.endsWith("</svg>") || forbidden.test(svg))
    return undefined;
  const colours = [...svg.matchAll(colour)].map(([, value = ""]) => value.toLowerCase());
  const isMonochrome = colours.includes("currentcolor") && colours.every((value) => allowedColours.includes(value));
  return isMonochrome ? svg : undefined;
}
