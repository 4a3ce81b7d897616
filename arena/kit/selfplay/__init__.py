"""`arena selfplay`: play matches between bots and write every decision to Parquet.

options     the command line, without NumPy    playing     plays and writes
worker      a process that plays some of the matches
"""
