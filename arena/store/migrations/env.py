"""Run by Alembic inside the connection and transaction that arena.store.migrate began."""

from alembic import context

from arena.store.tables import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    render_as_batch=True,
)
context.run_migrations()
