extension SQLiteStore: StoreLoadReporting {
  package var load: StoreLoad { writer.load }
}
