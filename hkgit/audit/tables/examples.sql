-- Which agents edit blindly, and how often?
select agent, count(*) as edits, round(100 * avg(blind), 1) as blind_percent
from edits group by agent order by blind_percent desc, edits desc

-- What can be derived of each agent's commits, and how many does the policy let pass?
select agent, count(*) as commits, count(*) filter (where derived) as derived,
  count(*) filter (where policy_passes) as passing
from commits where agent is not null group by agent order by commits desc, agent

-- Which files have the most places that an agent changed unseen?
select path, sum(lines_unseen) as unseen, sum(lines_removed) as removed, count(*) as commits
from files group by path having unseen > 0 order by unseen desc, path limit 20

-- Week by week: how much do agents commit, and how much of it is derived?
select date(day, 'weekday 0', '-6 days') as week, count(*) as commits,
  round(100 * avg(derived)) as derived_percent
from commits where agent is not null group by week order by week

-- Which commits does the policy not let pass?
select time, repository, substr(commit, 1, 12) as id, coalesce(agent, author) as who, rule, subject
from commits where not policy_passes order by time desc limit 50

-- Which rules are broken most often?
select rule, count(*) as findings, count(distinct commit) as commits
from findings where blocks group by rule order by findings desc, rule

-- On what does the history of one line rest? Put your own path and line into the first row.
with asked as (
  select path, first_line as line from edits
  group by path, first_line order by count(*) desc, path, line limit 1
)
select time, edits.path, line, edits.agent, evidence, confidence, tier, subject
from edits join commits using (repository, commit) join asked on edits.path = asked.path
  and line between first_line and max(last_line, first_line)
order by time desc

-- Are edits of low confidence taken back more often?
select cast(confidence * 10 as integer) / 10.0 as at_least, count(*) as edits, count(back.commit) as reverted
from edits left join commits as back
  on back.repository = edits.repository and back.reverts = edits.commit
group by at_least order by at_least

-- On which evidence do edits rest?
select evidence, count(*) as edits, round(avg(confidence), 3) as confidence
from edits group by evidence order by edits desc, evidence

-- Which tiers of the ladder find the places, and what had to be mended?
select tier, count(*) as edits, count(*) filter (where repairs <> '[]') as repaired,
  min(confidence) as least_sure
from edits group by tier order by edits desc, tier

-- Which edits were the least sure?
select confidence, runner_up, edits.agent, path, first_line, tier,
  substr(commit, 1, 12) as id, subject
from edits join commits using (repository, commit) order by confidence, path limit 20

-- Who leaves no evidence, since when?
select coalesce(agent, author) as who, count(*) as commits, min(time) as first, max(time) as last
from commits where replay = 'no evidence' group by who order by commits desc, who

-- Why are edits refused, and how many land in the end?
select agent, status, count(*) as refused, count(landed) as landed
from refusals group by agent, status order by refused desc, agent, status

-- How many tries does an edit take?
select tries, count(*) as refused, count(landed) as landed
from refusals group by tries order by tries

-- How much do agents read before they change something?
select evidence, reads.kind, count(*) as readings, sum(hunks_covered) as hunks_covered,
  round(avg(last_line - first_line + 1)) as lines_each
from reads join files using (repository, commit, path)
group by evidence, reads.kind order by readings desc, evidence, kind

-- Which files do both agents and people change?
select path, count(*) filter (where replay = 'by hand') as by_hand,
  count(*) filter (where agent is not null) as by_agents
from files join commits using (repository, commit) group by path having by_hand > 0 and by_agents > 0 order by by_agents desc, path

-- How does each repository stand, the worst first?
select repository, count(*) as commits, round(100 * avg(policy_passes), 1) as passing_percent,
  round(100 * avg(replay = 'no evidence'), 1) as bare_percent, max(time) as newest
from commits group by repository order by passing_percent, bare_percent desc, repository

-- What was exported when, and under which policy?
select repository, exported, status, revision, substr(tip, 1, 12) as tip, policy_source, error
from repositories order by status, exported

-- Which versions of which agents are at work, since when?
select edits.agent, agent_version, min(time) as first, max(time) as last, count(*) as edits
from edits join commits using (repository, commit)
group by edits.agent, agent_version order by edits.agent, first

-- Who commits the work of which agent?
select author, agent, count(*) as commits, count(*) filter (where weak) as weak
from commits where agent is not null group by author, agent order by commits desc, author, agent

-- On what does the newest change of each file rest?
select path, replay, evidence, max(time) as newest
from files join commits using (repository, commit)
group by repository, path order by newest desc, path limit 50
