/** The system's code of an error, such as `ENOENT`, or an empty text. */
export function systemCode(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
}
