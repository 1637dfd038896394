/** The panel with one event in full: `showDetail(index)`, `closeDetail()`. It is built of text nodes only. */
export const detailScript = String.raw`
const detail = document.getElementById("detail");
let shownIndex = -1;

function element(name, className, ...children) {
  const made = document.createElement(name);
  if (className) made.className = className;
  made.append(...children);
  return made;
}

function button(text, className, onClick) {
  const made = element("button", className, text);
  made.type = "button";
  made.addEventListener("click", onClick);
  return made;
}

const tokenPattern = /("(?:[^"\\]|\\.)*")(\s*:)?|\b(?:true|false|null)\b|-?\d[\d.eE+-]*/g;

/** JSON with strings, keys and other values told apart by colour. */
function jsonNodes(json) {
  const nodes = [];
  let end = 0;
  for (const match of json.matchAll(tokenPattern)) {
    const token = match[1] ?? match[0];
    nodes.push(json.slice(end, match.index));
    nodes.push(element("span", match[1] === undefined ? "atom" : match[2] === undefined ? "string" : "key", token));
    end = match.index + token.length;
  }
  nodes.push(json.slice(end));
  return nodes;
}

function titleOf(index) {
  const event = trace.events[index];
  if (event.type === "process") return textOf(event.component) + " process";
  const kind = { error: "error response", cancel: "cancellation" }[kindOf(event)] ?? event.type;
  return methodOf(index) + " · " + kind;
}

function hopText(event) {
  return event.type === "process" ? textOf(event.component) : textOf(event.from) + " → " + textOf(event.to);
}

function copyButton(json) {
  const copy = button("Copy JSON", "", () => {
    navigator.clipboard.writeText(json).then(() => (copy.textContent = "Copied"), () => (copy.textContent = "Not allowed"));
  });
  return copy;
}

function showDetail(index) {
  shownIndex = index;
  const event = trace.events[index];
  const json = JSON.stringify(event, undefined, 2);
  const partner = trace.partners[index];
  const heading = element("h2", "", titleOf(index));
  const facts = [hopText(event), formatTime(event.ts) + " s", trace.took[index], sessionOf(index)].filter(Boolean);
  const actions = element("div", "actions", copyButton(json));
  if (partner !== -1) {
    actions.append(button(event.type === "request" ? "Go to response" : "Go to request", "", () => revealEvent(partner)));
  } else if (event.type === "request") {
    actions.append(element("span", "warn", "No answer in this trace"));
  }
  actions.append(button("Close", "close", closeDetail));
  const pre = element("pre", "", ...jsonNodes(json));
  pre.tabIndex = 0;
  detail.replaceChildren(heading, element("p", "hop", facts.join(" · ")), actions, pre);
  detail.hidden = false;
}

function closeDetail() {
  const index = shownIndex;
  shownIndex = -1;
  detail.hidden = true;
  refreshRows();
  if (index !== -1) focusEvent(index);
}
`;
