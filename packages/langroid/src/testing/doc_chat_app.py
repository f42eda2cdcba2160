"""A real DocChatAgent: a local vector store, an embedding of a few lines, and a model that reads its prompt."""

import re
import zlib

import langroid as lr
import langroid.language_models as lm
from langroid.agent.special import DocChatAgent, DocChatAgentConfig, doc_chat_agent
from langroid.embedding_models.base import EmbeddingModel, EmbeddingModelsConfig
from langroid.vector_store.qdrantdb import QdrantDBConfig

DOCUMENT = [
    "The lighthouse of Utsira was built in 1844. Its keeper was called Tordis Vik.",
    "Herring is salted in barrels of oak. A barrel holds about a hundred kilograms.",
    "The ferry to Utsira leaves Haugesund three times a day and takes seventy minutes.",
]
DIMENSIONS = 256

# For its search by words, which is off here, Langroid needs tables that NLTK downloads.
doc_chat_agent.preprocess_text = str.lower


class WordEmbedding(EmbeddingModel):
    """Counts words: texts that share words are near to each other."""

    def __init__(self, config: EmbeddingModelsConfig = EmbeddingModelsConfig(dims=DIMENSIONS)) -> None:
        self.config = config

    def embedding_fn(self):
        return lambda texts: [_count(text) for text in texts]

    @property
    def embedding_dims(self) -> int:
        return DIMENSIONS


def _count(text: str) -> list[float]:
    vector = [0.0] * DIMENSIONS
    for word in re.findall(r"\w+", text.lower()):
        vector[zlib.crc32(word.encode()) % DIMENSIONS] += 1.0
    return vector


def answer(prompt: str) -> str:
    """Finds the keeper where the passages name one; asked to reword a follow-up, it does."""
    if "FOLLOW-UP" in prompt.upper():
        return "Who was the keeper of the lighthouse?"
    keeper = re.search(r"keeper was called ([A-Z]\w+ [A-Z]\w+)", prompt)
    return "DO-NOT-KNOW" if keeper is None else f"The keeper was {keeper.group(1)}."


def build(thread: str) -> DocChatAgent:
    config = DocChatAgentConfig(
        name="librarian",
        llm=lm.MockLMConfig(response_fn=answer),
        vecdb=QdrantDBConfig(
            collection_name="lighthouses",
            cloud=False,
            storage_path=":memory:",
            embedding=EmbeddingModelsConfig(dims=DIMENSIONS),
            embedding_model=WordEmbedding(),
        ),
        use_bm25_search=False,
        use_fuzzy_match=False,
        relevance_extractor_config=None,
        n_relevant_chunks=1,
        n_similar_chunks=1,
        rerank_diversity=False,
        rerank_periphery=False,
        cross_encoder_reranking_model="",
    )
    agent = DocChatAgent(config)
    agent.ingest_docs([lr.Document(content=text, metadata=lr.DocMetaData(source=f"page {i}")) for i, text in enumerate(DOCUMENT)])
    return agent
