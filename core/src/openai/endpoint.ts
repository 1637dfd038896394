/** Where the endpoint listens unless another port is chosen. */
export const defaultOpenAiPort = 11_711;

/** The address that clients are given. */
export function openAiAddress(port: number): string {
  return `http://127.0.0.1:${port}/v1`;
}
