graph: graph starts
graph: warns model-calls-recovered
graph/research: subgraph starts
graph/research: updates {"delta":{"state":{"notes":["planned","planned","deep","review:\"yes\""]}}}
graph/research: ends ok
graph: updates {"delta":{"state":{"notes":["planned","planned","deep","review:\"yes\""]}}}
graph: updates {"delta":{"state":{"notes":["planned","planned","deep","review:\"yes\"","done"]}}}
graph: ends ok
