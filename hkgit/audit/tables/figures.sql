-- agents
WITH one AS (
  SELECT DISTINCT fold_agent(value) AS agent, repository, commit, derived, policy_passes, weak,
    entries, replay, date(day, 'weekday 0', '-6 days') AS week
  FROM commits, json_each(agents)
), week AS (
  SELECT agent, json_group_object(week, commits) AS weeks
  FROM (SELECT agent, week, count(*) AS commits FROM one GROUP BY agent, week) GROUP BY agent
), kind AS (
  SELECT agent, json_group_object(evidence, edits) AS evidence, sum(edits) AS edits,
    cast(round(1000 * min(lowest)) AS INTEGER) AS lowest
  FROM (
    SELECT agent, evidence, count(*) AS edits, min(confidence) AS lowest
    FROM edits GROUP BY agent, evidence
  ) GROUP BY agent
), version AS (
  SELECT agent, json_group_array(version) AS versions
  FROM (
    SELECT DISTINCT fold_agent(value) AS agent, substr(value, 1 + instr(value, '/')) AS version
    FROM commits, json_each(agents) WHERE instr(value, '/') > 0 ORDER BY version
  ) GROUP BY agent
)
SELECT agent, count(DISTINCT repository) AS repositories, count(*) AS commits,
  count(*) FILTER (WHERE derived) AS derived,
  count(*) FILTER (WHERE policy_passes) AS passes, count(*) FILTER (WHERE weak) AS weak,
  count(*) FILTER (WHERE replay IN ('no evidence', 'vouched') AND entries = 0) AS bare,
  ifnull(edits, 0) AS edits, ifnull(evidence, '{{}}') AS evidence, lowest,
  ifnull(versions, '[]') AS versions, weeks
FROM one JOIN week USING (agent) LEFT JOIN kind USING (agent) LEFT JOIN version USING (agent)
GROUP BY agent ORDER BY commits DESC, agent

-- days
SELECT day, replay, count(*) AS commits FROM commits GROUP BY day, replay ORDER BY day

-- figures
SELECT 'replay' AS kind, replay AS value, count(*) AS count FROM commits WHERE {which} GROUP BY 2
UNION ALL SELECT 'policy', CASE WHEN policy_passes THEN 'passes' ELSE 'fails' END, count(*)
FROM commits WHERE {which} GROUP BY 2
UNION ALL SELECT 'evidence', evidence, count(*) FROM edits WHERE {which} GROUP BY 2
UNION ALL SELECT 'tiers', tier, count(*) FROM edits WHERE {which} GROUP BY 2
UNION ALL SELECT 'versions', agent || coalesce('/' || lower(agent_version), ''), count(*)
FROM edits WHERE {which} GROUP BY 2
UNION ALL SELECT 'confidence', cast(round(1000 * confidence) AS INTEGER), count(*)
FROM edits WHERE {which} GROUP BY 2
ORDER BY kind, count DESC, value

-- totals
SELECT * FROM (
  SELECT ifnull(sum(entries), 0) AS entries, ifnull(sum(blind_edits), 0) AS blind,
    count(agent) AS by_agents, count(agent) FILTER (WHERE derived) AS derived_by_agents,
    count(DISTINCT author) FILTER (WHERE replay = 'by hand') AS people
  FROM commits WHERE {which}
), (
  SELECT count(DISTINCT path) AS files FROM edits WHERE {which}
)

-- rules
SELECT rule, count(*) AS findings, count(DISTINCT repository || commit) AS commits
FROM findings WHERE blocks GROUP BY rule ORDER BY findings DESC, rule

-- repositories
WITH kind AS (
  SELECT repository, json_group_object(replay, commits) AS replays
  FROM (SELECT repository, replay, count(*) AS commits FROM commits GROUP BY repository, replay)
  GROUP BY repository
), one AS (
  SELECT repository, status, error, policy_source, count(commit) AS commits,
    count(agent) AS by_agents, count(agent) FILTER (WHERE derived) AS derived,
    count(*) FILTER (WHERE replay IN ('no evidence', 'vouched') AND entries = 0) AS bare,
    count(*) FILTER (WHERE NOT policy_passes) AS failing, ifnull(sum(edits), 0) AS edits,
    ifnull(sum(blind_edits), 0) AS blind, date(max(time)) AS newest
  FROM repositories LEFT JOIN commits USING (repository) GROUP BY repository
)
SELECT repository AS name, one.*, replays FROM one LEFT JOIN kind USING (repository)
ORDER BY status = 'ok', ifnull(1.0 * failing / commits, 0) DESC,
  ifnull(1.0 * bare / by_agents, 0) DESC, ifnull(1.0 * blind / edits, 0) DESC, repository

-- commits to look at
SELECT repository, commit AS id, time,
  coalesce(nullif((SELECT group_concat(value, ', ') FROM json_each(agents)), ''), author) AS who,
  subject, replay, policy_passes AS passes, rule, weakest_evidence AS evidence,
  cast(round(1000 * lowest_confidence) AS INTEGER) AS confidence
FROM commits WHERE agent IS NOT NULL
ORDER BY policy_passes, NOT weak, coalesce(lowest_confidence, 1), time DESC, commit LIMIT {most}

-- files to look at
SELECT repository, path, count(*) AS commits, sum(lines_removed) AS removed,
  sum(lines_unseen) AS unseen
FROM files WHERE lines_unseen > 0 GROUP BY repository, path
ORDER BY unseen DESC, repository, path LIMIT {most}
