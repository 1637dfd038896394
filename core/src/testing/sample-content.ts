/** Base64 of a PNG of one pixel. */
const onePixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** Every kind of content block of ACP v1, optional members included, and one of a kind that does not exist. */
export const sampleContent: readonly Readonly<Record<string, unknown>>[] = [
  {
    type: "text",
    text: 'Plain text with "quotes", a \\ backslash, a\ttab and 漢字 🦀.',
    annotations: { audience: ["user", "assistant"], lastModified: "2026-01-02T03:04:05Z", priority: 0.5 },
  },
  { type: "image", data: onePixel, mimeType: "image/png", uri: "file:///pixel.png" },
  { type: "audio", data: "UklGRiQAAABXQVZF", mimeType: "audio/wav" },
  {
    type: "resource_link",
    uri: "file:///guide.md",
    name: "guide.md",
    title: "The guide",
    description: "A file that the text speaks of",
    mimeType: "text/markdown",
    size: 12,
  },
  { type: "resource", resource: { uri: "file:///notes.txt", text: "Notes.\n", mimeType: "text/plain" } },
  { type: "resource", resource: { uri: "file:///data.bin", blob: "AAEC", mimeType: "application/octet-stream" } },
];

export const unknownContent: Readonly<Record<string, unknown>> = { type: "_test_hologram", depth: 3 };
