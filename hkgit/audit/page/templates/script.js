"use strict";
(() => {
  const form = document.getElementById("filters");
  if (!form) return;
  const shown = document.getElementById("shown");
  const total = Number(form.dataset.total);
  const commits = [];

  const addCopy = (command) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "Copy";
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(command.querySelector("code").textContent);
      button.textContent = "Copied";
    });
    command.append(button);
  };

  const gather = (root) => {
    for (const element of root.querySelectorAll(".commit")) {
      const { agent, replay, policy, evidence, path } = element.dataset;
      commits.push({
        element, replay, policy, path: path.toLowerCase(), text: null,
        agent: agent.split("\n"), evidence: evidence.split(" "),
      });
    }
    root.querySelectorAll(".command").forEach(addCopy);
  };

  // A long page opens with its weakest commits. The others are text, a batch in each <noscript>,
  // until there is time, or somebody asks for them.
  const held = [...document.querySelectorAll("noscript.held")];
  const unfold = () => {
    const template = document.createElement("template");
    const batch = held.shift();
    template.innerHTML = batch.textContent;
    gather(template.content);
    batch.replaceWith(template.content);
    if (!held.length) document.getElementById("rest").remove();
  };
  const unfoldAll = () => { while (held.length) unfold(); };
  const idly = window.requestIdleCallback ?? ((act) => setTimeout(act, 50));
  const unfoldInTime = () => {
    if (!held.length) return;
    unfold();
    idly(unfoldInTime);
  };

  const fields = ["agent", "replay", "policy", "evidence", "path", "text"];
  const value = (name) => form.elements[name].value.trim();
  const textOf = (each) => (each.text ??= each.element.textContent.toLowerCase());

  const fits = (each, asked) =>
    (!asked.agent || each.agent.includes(asked.agent)) &&
    (!asked.replay || each.replay === asked.replay) &&
    (!asked.policy || each.policy === asked.policy) &&
    (!asked.evidence || each.evidence.includes(asked.evidence)) &&
    (!asked.path || each.path.includes(asked.path.toLowerCase())) &&
    (!asked.text || textOf(each).includes(asked.text.toLowerCase()));

  const filter = () => {
    unfoldAll();
    const asked = Object.fromEntries(fields.map((name) => [name, value(name)]));
    let count = 0;
    for (const each of commits) {
      const fit = fits(each, asked);
      if (each.element.hidden === fit) each.element.hidden = !fit;
      count += fit;
    }
    tell(count);
    return asked;
  };

  const tell = (count) => {
    shown.textContent = count === total ? `All ${total} commits.` : `${count} of ${total} commits.`;
  };

  const remember = (asked) => {
    const query = new URLSearchParams(Object.entries(asked).filter(([, text]) => text));
    history.replaceState(null, "", `#${query.size ? `?${query}` : "review"}`);
  };

  const follow = () => {
    const hash = location.hash.slice(1);
    if (hash.startsWith("?")) {
      const query = new URLSearchParams(hash.slice(1));
      for (const name of fields) form.elements[name].value = query.get(name) ?? "";
      filter();
      document.getElementById("review").scrollIntoView();
      return;
    }
    if (hash && !document.getElementById(hash)) unfoldAll();
    const target = hash && document.getElementById(hash);
    const commit = target && target.closest(".commit");
    if (!commit) return;
    if (commit.hidden) { form.reset(); filter(); }
    const details = commit.querySelector("details");
    if (details) details.open = true;
    // What stands above is laid out only when it is near, and moves the target again.
    for (const wait of [0, 60, 160]) setTimeout(() => target.scrollIntoView({ behavior: "instant" }), wait);
  };

  form.hidden = false;
  form.addEventListener("input", () => remember(filter()));
  form.addEventListener("reset", () => setTimeout(() => remember(filter())));
  form.addEventListener("submit", (event) => event.preventDefault());
  window.addEventListener("hashchange", follow);
  window.addEventListener("beforeprint", unfoldAll);
  gather(document);
  tell(total);
  follow();
  window.addEventListener("load", () => idly(unfoldInTime));
})();
