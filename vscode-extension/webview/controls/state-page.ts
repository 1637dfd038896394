import "@vscode/codicons/dist/codicon.css";
import "./controls.css";
import * as z from "zod/mini";

// Compiled validators need eval, which the page's content security policy forbids.
z.config({ jitless: true });

declare global {
  interface HTMLElementEventMap {
    "symposium-remember": CustomEvent<unknown>;
  }
}

/**
 * Runs a page with one state: receives the state in messages that match `schema`, and sends the messages that elements `ask` to send. Sends
 * `NAME-ready` when it can receive the state. After the page was hidden, `remembered` is set to the details of the last
 * `symposium-remember` event.
 */
export function runPage<State>(
  name: string,
  app: HTMLElement & { state: State; remembered?: unknown },
  schema: z.ZodMiniType<{ readonly state: State }>,
): void {
  const api = acquireVsCodeApi();
  app.remembered = api.getState();
  app.addEventListener("symposium-remember", ({ detail }) => api.setState(detail));
  app.addEventListener("symposium-ask", ({ detail }) => api.postMessage(detail));
  window.addEventListener("message", ({ data }: MessageEvent<unknown>) => {
    const message = schema.safeParse(data);
    if (message.success) app.state = message.data.state;
  });
  document.body.append(app);
  api.postMessage({ type: `${name}-ready` });
}
