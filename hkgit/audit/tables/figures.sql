-- agents
SELECT {by} AS by, agent AS name, count(DISTINCT repository) AS repositories, count(*) AS commits,
  count(*) FILTER (WHERE standing = 'derived') AS derived,
  count(*) FILTER (WHERE policy_passes) AS passing, count(*) FILTER (WHERE weak) AS weak,
  count(*) FILTER (WHERE made_by = 'agent, no evidence') AS bare
FROM (
  SELECT DISTINCT repository, commit, standing, policy_passes, weak, made_by,
    fold_agent(value) AS agent
  FROM commits, json_each(agents)
) GROUP BY by, agent ORDER BY by, commits DESC, agent

-- evidence of agents
SELECT {by} AS by, agent, evidence, count(*) AS edits, min(confidence) AS lowest
FROM edits GROUP BY by, agent, evidence

-- versions of agents
SELECT DISTINCT {by} AS by, fold_agent(value) AS agent,
  substr(value, 1 + instr(value, '/')) AS version
FROM commits, json_each(agents) WHERE instr(value, '/') > 0 ORDER BY by, agent, version

-- weeks of agents
SELECT {by} AS by, fold_agent(value) AS agent, date(day, 'weekday 0', '-6 days') AS week,
  count(DISTINCT repository || commit) AS commits
FROM commits, json_each(agents) GROUP BY by, agent, week

-- days
SELECT {by} AS by, day, standing, count(*) AS commits
FROM commits GROUP BY by, day, standing ORDER BY by, day

-- rules
SELECT {by} AS by, rule, count(*) AS findings, count(DISTINCT repository || commit) AS commits
FROM findings WHERE blocks GROUP BY by, rule ORDER BY by, findings DESC, rule

-- repositories
SELECT repository AS name, url, status, error, exported, repositories.policy_source,
  count(commit) AS commits, count(commit) FILTER (WHERE policy_passes) AS passing,
  count(commit) FILTER (WHERE standing = 'derived' AND made_by = 'agent') AS derived,
  coalesce(sum(edits), 0) AS edits, coalesce(sum(blind_edits), 0) AS blind, max(time) AS newest
FROM repositories LEFT JOIN commits USING (repository) GROUP BY repository

-- commits to look at
SELECT * FROM (
  SELECT repository AS by, commit AS id, time,
    coalesce(nullif((SELECT group_concat(value, ', ') FROM json_each(agents)), ''), author) AS who,
    subject, standing, policy_passes AS passes, rule, weakest_evidence AS evidence,
    cast(round(1000 * lowest_confidence) AS INTEGER) AS confidence,
    row_number() OVER (PARTITION BY repository ORDER BY
      policy_passes, NOT weak, coalesce(lowest_confidence, 1), time DESC, commit) AS place
  FROM commits WHERE made_by IN ('agent', 'agent, no evidence')
) WHERE place <= {most} ORDER BY by, place

-- files to look at
SELECT * FROM (
  SELECT repository AS by, path, count(*) AS commits, sum(lines_removed) AS removed,
    sum(lines_unseen) AS unseen,
    row_number() OVER (PARTITION BY repository ORDER BY sum(lines_unseen) DESC, path) AS place
  FROM files WHERE lines_unseen > 0 GROUP BY repository, path
) WHERE place <= {most} ORDER BY by, place

-- totals of commits
SELECT count(*) AS commits, count(*) FILTER (WHERE policy_passes) AS passing,
  coalesce(sum(entries), 0) AS entries,
  count(*) FILTER (WHERE NOT policy_passes AND entries = 0) AS without_entry,
  coalesce(sum(conflicts), 0) AS conflicts, coalesce(sum(blind_edits), 0) AS blind
FROM commits

-- totals of edits
SELECT count(DISTINCT path) AS files, count(*) FILTER (WHERE repairs <> '[]') AS repaired,
  count(*) FILTER (WHERE relocated) AS relocated
FROM edits

-- values
SELECT {by} AS by, {value} AS value, count(*) AS count
FROM {table} GROUP BY 1, 2 ORDER BY 1, 3 DESC, min(rowid)

-- tally
SELECT 'passing' AS kind, '' AS value, count(*) AS count
FROM commits WHERE repository = :repository AND policy_passes
UNION ALL SELECT 'replay', replay, count(*)
FROM commits WHERE repository = :repository GROUP BY replay
UNION ALL SELECT 'made_by', made_by, count(*)
FROM commits WHERE repository = :repository GROUP BY made_by
UNION ALL SELECT 'standing', standing, count(*)
FROM commits WHERE repository = :repository GROUP BY standing
UNION ALL SELECT 'evidence', evidence, count(*)
FROM edits WHERE repository = :repository GROUP BY evidence
UNION ALL SELECT 'agents', fold_agent(value) AS agent, count(DISTINCT commit)
FROM commits, json_each(agents) WHERE repository = :repository GROUP BY agent
