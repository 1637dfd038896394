/** About how many tokens a text has: words of four letters or so, and the characters of scripts without spaces. */
export function estimatedTokens(text: string): number {
  let wide = 0;
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) > 0x2e80) wide++;
  return Math.max(1, Math.ceil(wide + (text.length - wide) / 4));
}
