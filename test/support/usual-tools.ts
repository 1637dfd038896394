import { type Tool, ToolServer } from "#core/base/mcp/tool-server.js";

/** Tools as MCP servers of services have them: a name, what it does, and its arguments; `?` marks those that may be absent. */
const services: Readonly<Record<string, readonly (readonly [name: string, description: string, args: string])[]>> = {
  github: [
    [
      "create_issue",
      "Opens a new issue in a repository, with a title, a text and labels.",
      "owner repo title body? labels?",
    ],
    ["get_issue", "Reads one issue of a repository with its state, labels and assignees.", "owner repo number"],
    [
      "list_issues",
      "Lists the issues of a repository by state, label or date of change.",
      "owner repo state? labels? page?",
    ],
    ["comment_on_issue", "Adds a comment to an issue or a pull request.", "owner repo number body"],
    ["close_issue", "Closes an issue and says why it was closed.", "owner repo number reason?"],
    ["create_pull_request", "Opens a pull request from a branch into another.", "owner repo title head base body?"],
    ["get_pull_request", "Reads a pull request with its checks and reviewers.", "owner repo number"],
    [
      "list_pull_request_files",
      "Lists the files that a pull request changes, with the added and removed lines.",
      "owner repo number page?",
    ],
    ["merge_pull_request", "Merges a pull request by a merge commit, squash or rebase.", "owner repo number method?"],
    [
      "review_pull_request",
      "Submits a review that approves a pull request or asks for changes.",
      "owner repo number verdict body?",
    ],
    ["search_code", "Looks for a text in the code of all repositories that can be seen.", "query page?"],
    [
      "get_file_contents",
      "Reads a file or the entries of a folder at a branch, tag or commit.",
      "owner repo path ref?",
    ],
    [
      "list_workflow_runs",
      "Lists the runs of a continuous integration workflow and how they ended.",
      "owner repo workflow? page?",
    ],
    ["rerun_workflow", "Starts a failed workflow run once more.", "owner repo run"],
  ],
  jira: [
    ["search_tickets", "Finds tickets by a query in the language of the tracker.", "query page? fields?"],
    ["get_ticket", "Reads a ticket with its description, status and history.", "key fields?"],
    ["create_ticket", "Creates a ticket of a type in a project.", "project type title body?"],
    ["move_ticket", "Moves a ticket to another status of its workflow.", "key status"],
    ["assign_ticket", "Gives a ticket to a person, or to nobody.", "key user?"],
    ["link_tickets", "Links two tickets, such as one that blocks the other.", "key other type"],
    ["log_work", "Records the time that somebody has spent on a ticket.", "key duration body?"],
    ["list_sprints", "Lists the sprints of a board, past and planned.", "board state?"],
    ["list_boards", "Lists the boards that the user can see.", "project? page?"],
    ["add_watcher", "Lets a person follow the changes of a ticket.", "key user"],
  ],
  chat: [
    ["post_message", "Posts a message to a channel or to a person.", "channel text thread?"],
    ["update_message", "Replaces the text of a message that was posted.", "channel message text"],
    ["list_channels", "Lists the channels of the workspace.", "page?"],
    ["read_channel_history", "Reads the latest messages of a channel, the newest first.", "channel limit? before?"],
    ["read_thread_replies", "Reads all answers to one message.", "channel thread"],
    ["add_reaction", "Adds an emoji to a message.", "channel message emoji"],
    ["find_person", "Finds a member of the workspace by name or address.", "query"],
    ["upload_attachment", "Uploads a file and shares it in a channel.", "channel path title?"],
    ["set_presence", "Says whether the user is active, away or must not be disturbed.", "state until?"],
  ],
  database: [
    ["run_query", "Runs a statement of SQL that reads, and returns the rows.", "query limit? database?"],
    ["execute_statement", "Runs a statement of SQL that writes, in a transaction.", "query database?"],
    ["list_tables", "Lists the tables and views of a schema.", "schema? database?"],
    ["describe_table", "Reads the columns, keys and indexes of a table.", "table schema? database?"],
    ["explain_plan", "Shows how the planner would run a statement, with its costs.", "query database?"],
    ["list_locks", "Lists the sessions that wait for locks, and those that hold them.", "database?"],
    ["cancel_backend", "Cancels the statement that a session runs.", "session"],
    ["dump_schema", "Writes the definitions of all objects of a schema as SQL.", "schema database?"],
    ["vacuum_table", "Reclaims the space of deleted rows and refreshes the statistics.", "table full?"],
  ],
  browser: [
    ["open_page", "Opens an address in a new tab and waits until it has loaded.", "url timeout?"],
    ["click_element", "Clicks an element that a selector or a reference names.", "selector button?"],
    ["fill_form", "Types values into the fields of a form.", "fields submit?"],
    ["take_screenshot", "Takes a picture of the page or of one element.", "selector? full?"],
    ["accessibility_snapshot", "Reads the tree of roles and names that assistive technology sees.", "selector?"],
    ["evaluate_script", "Runs an expression of JavaScript in the page.", "script"],
    ["wait_for_text", "Waits until a text appears or is gone.", "text gone? timeout?"],
    ["console_messages", "Lists what the page has written to the console.", "level? limit?"],
    ["network_requests", "Lists the requests that the page has made, with status and duration.", "filter? limit?"],
    ["resize_window", "Changes the size of the window.", "width height"],
    ["handle_dialog", "Accepts or dismisses an alert, a confirmation or a prompt.", "accept text?"],
  ],
  cloud: [
    ["list_instances", "Lists the virtual machines of a region and their state.", "region filter?"],
    ["start_instance", "Starts a virtual machine that is stopped.", "region instance"],
    ["stop_instance", "Stops a virtual machine and keeps its disks.", "region instance force?"],
    ["read_logs", "Reads the log lines of a service in a period.", "service since? until? filter?"],
    ["list_alerts", "Lists the alarms that fire now or have fired lately.", "state? since?"],
    ["get_metric", "Reads the values of a metric with a step in a period.", "metric since until? step?"],
    ["scale_service", "Sets how many copies of a service run.", "service count"],
    ["roll_back_deployment", "Puts the release before the current one back in place.", "service release?"],
    ["list_secrets", "Lists the names of the secrets, never their values.", "prefix?"],
    ["rotate_secret", "Replaces a secret by a new one and restarts those who use it.", "name"],
    ["list_buckets", "Lists the buckets of object storage and their size.", "region?"],
  ],
};

/** Sixty-four tools of six servers; what each does is to say its name and its arguments. */
export function usualServers(): readonly ToolServer[] {
  return Object.entries(services).map(
    ([name, tools]) =>
      new ToolServer({
        name,
        version: "1.0.0",
        instructions: `Tools of the team's ${name}. Ask before anything is changed for others.`,
        tools: tools.map(([tool, description, args]) => usualTool(name, tool, description, args)),
      }),
  );
}

/** The first four tools, in the first server. */
export function fewServers(): readonly ToolServer[] {
  return Object.entries(services)
    .slice(0, 1)
    .map(([name, tools]) => {
      const first = tools.slice(0, 4);
      const four = first.map(([tool, description, args]) => usualTool(name, tool, description, args));
      return new ToolServer({ name, version: "1.0.0", tools: four });
    });
}

/** The tools with the words that somebody would look for them by. */
export function usualToolWords(): readonly { readonly name: string; readonly words: string }[] {
  return Object.values(services).flatMap((tools) => tools.map(([name, words]) => ({ name, words })));
}

function usualTool(service: string, name: string, description: string, args: string): Tool {
  const words = args.split(" ");
  return {
    name,
    description: `${description} Needs the permission to use ${service}; fails with the service's own message.`,
    inputSchema: {
      properties: Object.fromEntries(
        words.map((word) => {
          const argument = word.replace("?", "");
          return [argument, { type: "string", description: `The ${argument}, as ${service} writes it.` }];
        }),
      ),
      required: words.filter((word) => !word.endsWith("?")),
      additionalProperties: false,
    },
    annotations: { readOnlyHint: /^(?:get|list|read|search|find|describe|explain)_/.test(name) },
    call: (given) => Promise.resolve(`${service} did ${name} ${JSON.stringify(given)}`),
  };
}
