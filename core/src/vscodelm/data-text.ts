/** Types that are text, however they are called. */
const textual = /^text\/|[/+](?:json|xml|yaml|toml|javascript|typescript|sql)\b/i;

/**
 * What data in base64 says to an agent: its text where it is one, else that it is there. Undefined for the marks by which
 * editors keep caches and the state of models, whose types have no slash.
 */
export function textOfData(mimeType: string, data: string): string | undefined {
  if (!mimeType.includes("/")) return undefined;
  const text = textual.test(mimeType) ? decoded(data) : undefined;
  return text ?? `[data of type ${mimeType}, ${data.length} characters in base64]`;
}

/** UTF-8, or undefined for what is no base64. */
function decoded(data: string): string | undefined {
  try {
    const bytes = Uint8Array.from(atob(data), (character) => character.charCodeAt(0));
    return new TextDecoder().decode(bytes);
  } catch {
    return undefined;
  }
}
