import { conversation } from "./conversation.js";
import { offerBench } from "./feed.js";

/** As much of @aws/mynah-ui as the bench uses; its script stands before this one in the page. */
interface MynahUi {
  addChatItem(tabId: string, item: MynahItem): void;
  updateLastChatAnswer(tabId: string, update: { readonly body: string }): void;
  updateStore(tabId: string, store: { readonly chatItems: readonly MynahItem[] }): void;
}
interface MynahItem {
  readonly type: string;
  readonly body: string;
}
declare const MynahUI: {
  MynahUI: new (options: { rootSelector: string; tabs: Readonly<Record<string, unknown>> }) => MynahUi;
};

const tabId = "t1";
const store = { tabTitle: "Bench", chatItems: [] };
const view = new MynahUI.MynahUI({ rootSelector: "body", tabs: { [tabId]: { isSelected: true, store } } });
let body = "";

offerBench({
  open: () => {
    body = "";
    view.updateStore(tabId, { chatItems: [] });
    view.addChatItem(tabId, { type: "prompt", body: "Go" });
    view.addChatItem(tabId, { type: "answer-stream", body });
  },
  // Its answers are replaced as a whole.
  answer: (text) => {
    body += text;
    view.updateLastChatAnswer(tabId, { body });
  },
  restore: (count) => {
    for (const item of conversation(count)) view.addChatItem(tabId, mynahItem(item));
  },
  isSettled: () => true,
  shownEnd: () => endOf([...document.querySelectorAll(".mynah-chat-item-card")].at(-1)),
});

function mynahItem(item: ReturnType<typeof conversation>[number]): MynahItem {
  switch (item.kind) {
    case "user":
      return { type: "prompt", body: item.text };
    case "text":
    case "thought":
      return { type: "answer", body: item.text };
    case "tool":
      return { type: "answer", body: `${item.title}\n\n${item.output ?? ""}` };
    default:
      return { type: "answer", body: item.kind };
  }
}

/** The last words in an element; the view keeps style sheets among its text. */
function endOf(element: Element | undefined): string {
  let text = "";
  if (element === undefined) return text;
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  for (let node = lastNode(walker); node !== null && text.length < 200; node = walker.previousNode()) {
    if (node.parentElement?.tagName !== "STYLE") text = (node.textContent ?? "") + text;
  }
  return text;
}

function lastNode(walker: TreeWalker): Node | null {
  while (walker.lastChild() !== null);
  return walker.currentNode;
}
