/** The reach of keys and connections, the scope `manage`, and endpoints that an agent's state withholds. */

export const kind = 'additive';

export const up = `
-- own: what its agent made; workspace: what every agent made. The first key of a workspace's first agent has the workspace.
alter table api_keys add column reach text not null default 'own' check (reach in ('own', 'workspace'));
update api_keys set reach = 'workspace' where id in (
  select k.id from api_keys k
  join agents a on a.id = k.agent_id
  where not exists (
    select 1 from agents b
    where b.workspace_id = a.workspace_id and (b.created_at < a.created_at or (b.created_at = a.created_at and b.id < a.id))
  ) and not exists (
    select 1 from api_keys e
    where e.agent_id = k.agent_id and (e.created_at < k.created_at or (e.created_at = k.created_at and e.id < k.id))
  )
);
alter table oauth_grants add column reach text not null default 'own' check (reach in ('own', 'workspace'));

-- Keys made before it keep what they had.
update api_keys set scopes = json_insert(scopes, '$[#]', 'manage')
where scopes is not null and exists (select 1 from json_each(scopes) where value = 'mail:send');

-- By the state of the agent that made it, which hears nothing by it meanwhile: suspended, or held and without a person's
-- approval. Null: not withheld.
alter table webhooks add column withheld text check (withheld in ('suspended', 'approval'));
create index webhooks_withheld on webhooks (withheld, created_at) where withheld is not null;
create index webhooks_by_maker on webhooks (made_by, created_at) where made_by is not null;
update webhooks set withheld = 'suspended' where made_by in (
  select agent_id from mailboxes where status = 'suspended' and receive_only = 0
);
delete from webhooks where made_by in (select id from agents where removed_at is not null);
`;
