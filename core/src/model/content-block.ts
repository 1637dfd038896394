/** A content block of ACP v1. */
export type ContentBlock = Readonly<Record<string, unknown>> & { readonly type: string };

/** A content block of plain text. */
export function textBlock(text: string): ContentBlock {
  return { type: "text", text };
}
