/** The knowledge base of a workspace, as owners and the operator work with it. */

import { ofWorkspace } from '../../../kernel/fields.ts';
import { knowledgeContract } from '../contract.ts';

const { home, search, page, list, add, get, refresh, remove } = knowledgeContract;

export const workspaceKnowledgeContract = {
  home: ofWorkspace('get_workspace_knowledge', home),
  search: ofWorkspace('search_workspace_knowledge', search),
  page: ofWorkspace('get_workspace_page', page, 'page_id'),
  list: ofWorkspace('list_workspace_sources', list),
  add: ofWorkspace('add_workspace_source', add),
  get: ofWorkspace('get_workspace_source', get, 'source_id'),
  refresh: ofWorkspace('refresh_workspace_source', refresh, 'source_id'),
  remove: ofWorkspace('remove_workspace_source', remove, 'source_id'),
};
